
/* Each chart is drawn, and the values of its inputs are read from the page's address and written there. */
const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
for (const place of document.querySelectorAll(".chart")) {
  const spec = JSON.parse(place.querySelector("script").textContent);
  vegaEmbed(place.querySelector("div"), spec, { renderer: "svg", actions: false }).then(({ view }) => {
    for (const { name, bind } of spec.params ?? []) {
      const key = `${place.id}.${name}`;
      if (!bind?.options) continue;
      const chosen = bind.options.find((option) => String(option) === state.get(key));
      if (chosen !== undefined) view.signal(name, chosen);
      view.addSignalListener(name, (_, value) => {
        state.set(key, value);
        history.replaceState(null, "", `#${state}`);
      });
    }
    return view.runAsync();
  });
}
