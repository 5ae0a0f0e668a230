// Stands before the search's own worker: the row or the page that is called just as it was asked for comes first.
{
  const places = new Map();
  const plain = text => text.replace(/<[^>]*>/g, "").replace(/&amp;/g, "&").trim().toLowerCase();
  const named = ({location, title}) => {
    const anchor = location.split("#")[1];
    return anchor === undefined ? plain(title) : title.endsWith(`<code>${anchor}</code>`) ? anchor : "";
  };
  const send = self.postMessage.bind(self);
  let asked = "";
  addEventListener("message", ({data: {type, data}}) => {
    if (type === 0) for (const one of [...data.docs].reverse()) places.set(named(one), one.location);
    if (type === 2) asked = plain(data);
  });
  self.postMessage = message => {
    const place = asked && places.get(asked);
    if (message.type === 3 && place) {
      const is = one => one.location === place;
      for (const group of message.data.items) group.sort((one, other) => is(other) - is(one));
      message.data.items.sort((one, other) => other.some(is) - one.some(is));
    }
    send(message);
  };
}
