
/* What the reader has chosen, searched and opened stands in the page's address: a link with it shows the same. */
const all = (what, within = document) => [...within.querySelectorAll(what)];
const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
function keep(key, value) {
  state.set(key, value);
  history.replaceState(null, "", `#${state}`);
}

/* Long sections, figures and charts are compressed. */
async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/* What is folded, and links to what is within. */
function openFolds() {
  const folds = all("details");
  const name = (fold) => fold.id || String(folds.indexOf(fold));
  if (state.has("open")) {
    const open = state.get("open").split(",");
    for (const fold of folds) fold.open = open.includes(name(fold));
  }
  const listed = () => folds.filter((fold) => fold.open).map(name).join();
  let opened = listed();
  document.addEventListener("toggle", () => listed() === opened || keep("open", (opened = listed())), true);

  function show(id) {
    const target = document.getElementById(id);
    for (let one = target; one; one = one.parentElement) {
      one.hidden = false;
      if (one.localName === "details") one.open = true;
    }
    target?.scrollIntoView();
  }
  window.addEventListener("hashchange", () => {
    if (location.hash.includes("=")) return location.reload();
    const id = decodeURIComponent(location.hash.slice(1));
    keep("at", id);
    show(id);
  });
  show(state.get("at") ?? decodeURIComponent(location.hash.slice(1)));
}

/* The rows of the ledger that have the words searched for, and a verdict that is ticked. */
function offerSearch() {
  const search = document.querySelector("#search");
  if (!search) return;
  const rows = all("[data-verdict]"), parts = all(".part"), boxes = all("#sieve [type=checkbox]");
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();
  const words = new Map(rows.map((row) => [row, plain(all("summary, summary + p", row).map((one) => one.textContent).join(" "))]));
  const sift = () => {
    const wanted = plain(search.value), hidden = boxes.filter((box) => !box.checked).map((box) => box.value);
    for (const row of rows) row.hidden = hidden.includes(row.dataset.verdict) || !words.get(row).includes(wanted);
    for (const part of parts) part.hidden = !part.querySelector("[data-verdict]:not([hidden])");
    document.querySelector("#found").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  };
  search.value = state.get("search") ?? "";
  for (const box of boxes) box.checked = !(state.get("hide") ?? "").split(",").includes(box.value);
  search.addEventListener("input", () => {
    keep("search", search.value);
    sift();
    for (const part of parts) part.open = search.value !== "";
  });
  for (const box of boxes) box.addEventListener("change", () => {
    keep("hide", boxes.filter((one) => !one.checked).map((one) => one.value).join());
    sift();
  });
  sift();
}

const ink = { labelColor: "currentColor", titleColor: "currentColor", labelFontSize: 12, titleFontSize: 12 };
const faint = "#8886";
const config = {
  background: "transparent",
  axis: { ...ink, gridColor: faint, domainColor: faint, tickColor: faint },
  legend: { ...ink, labelLimit: 0 },
  title: { color: "currentColor", subtitleColor: "currentColor", fontSize: 13, subtitleFontSize: 12, anchor: "start" },
  text: { color: "currentColor" },
  rule: { color: "currentColor" },
  view: { stroke: faint },
};
const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

/* Make a chart narrower: what stands side by side goes below each other, then every panel gives way. */
function narrow(spec, excess) {
  if (spec.columns > 1 && excess > 100) return (spec.columns = 1);
  if (spec.width > 120) spec.width = Math.max(spec.width - excess, 120);
  for (const part of ["concat", "hconcat", "vconcat", "layer"].flatMap((kind) => spec[kind] ?? [])) narrow(part, excess);
}

async function draw(place, spec) {
  const room = place.clientWidth;
  const lines = new RegExp(`.{1,${Math.floor(room / 9)}}(\\s|$)`, "g");
  if (typeof spec.title === "string") spec.title = spec.title.match(lines);
  for (let tries = 3; ; tries -= 1) {
    const { view } = await vegaEmbed(place, spec, { renderer: "svg", actions: false, config, tooltip: { theme } });
    const excess = Math.ceil(place.querySelector("svg").getBoundingClientRect().width) - room;
    if (excess <= 0 || !tries) return view;
    view.finalize();
    narrow(spec, excess);
  }
}

/* A chart is drawn again when its room is wider or narrower: the window has changed, or the phone was turned. */
function fit(chart, text) {
  const place = chart.querySelector("div");
  let room, view;
  async function drawn() {
    if (place.clientWidth === room) return;
    room = place.clientWidth;
    view?.finalize();
    const spec = JSON.parse(text);
    view = await draw(place, spec);
    for (const { name, bind } of spec.params ?? []) {
      const key = `${chart.id}.${name}`;
      if (!bind?.options) continue;
      const chosen = bind.options.find((option) => String(option) === state.get(key));
      if (chosen !== undefined) view.signal(name, chosen);
      view.addSignalListener(name, (_, value) => keep(key, value));
    }
    await view.runAsync();
    chart.classList.add("drawn");
  }
  let last = Promise.resolve();
  new ResizeObserver(() => (last = last.then(drawn))).observe(place);
}

async function start() {
  for (const place of all("[data-html]")) place.outerHTML = await inflated(place.dataset.html);
  openFolds();
  offerSearch();
  for (const image of all("img[data-gzip]")) {
    inflated(image.dataset.gzip).then((svg) => (image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`));
  }
  for (const chart of all(".chart")) inflated(chart.dataset.gzip).then((text) => fit(chart, text));
}
start();
