"use strict";

/* Every number shown is text that the page brings along: nothing is computed here but places in a drawing. */

const all = (root, selector) => [...root.querySelectorAll(selector)];

/* The ledger: which statements are shown, and which are open. */

function filtered(form) {
  const ledger = form.closest(".ledger");
  const boxes = all(form, "input[name=verdict]");
  const entries = all(ledger, ".entry");
  const show = () => {
    const chosen = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    for (const entry of entries) entry.hidden = !chosen.has(entry.dataset.verdict);
    for (const group of all(ledger, ".group")) group.hidden = !group.querySelector(".entry:not([hidden])");
    const shown = entries.filter((entry) => !entry.hidden).length;
    form.querySelector(".count").textContent = `${shown} of ${entries.length} statements`;
  };
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !entries.includes(target)) return;
    if (target.hidden) for (const box of boxes) box.checked = true;
    show();
    target.open = true;
    target.scrollIntoView();
  };
  for (const box of boxes) {
    box.checked = true;
    box.addEventListener("change", show);
  }
  for (const button of all(form, "button")) {
    button.addEventListener("click", () => {
      for (const entry of entries) if (!entry.hidden) entry.open = button.dataset.open === "true";
    });
  }
  window.addEventListener("hashchange", reveal);
  form.hidden = false;
  show();
  reveal();
}

/* Sliders: a table at the steps chosen, and a drawing along each slider. */

const WIDTH = 460, HEIGHT = 280, LEFT = 62, RIGHT = 14, TOP = 34, BOTTOM = 44;

function element(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function short(number) {
  for (const [size, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${+(number / size).toPrecision(3)}${letter}`;
  }
  return `${+number.toPrecision(3)}`;
}

/* The next number of 1, 2, 2.5 or 5 times a power of ten. */
function round(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= number * (1 - 1e-9));
}

function spread(ticks, most) {
  const every = Math.max(1, Math.ceil(ticks.length / most));
  return ticks.filter((_, i) => i % every === 0);
}

/* What is drawn: {ticks, name, here, label, lines: [[number or null for each tick] for each series]}. */
function drawn({ ticks, name, here, label, lines }) {
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  const most = Math.max(...lines.flat().map((value) => value ?? 0));
  const step = most > 0 ? round(most / 4) : 1;
  const top = Math.max(step, Math.ceil(most / step - 1e-9) * step);
  const place = (tick) => Math.log(Math.max(tick.value, 1));
  const [low, high] = [place(ticks[0]), place(ticks[ticks.length - 1])];
  const x = (tick) => LEFT + ((WIDTH - LEFT - RIGHT) * (place(tick) - low)) / (high - low || 1);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / top;
  for (let value = 0; value <= top * (1 + 1e-9); value += step) {
    svg.append(element("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
    svg.append(element("text", { x: LEFT - 7, y: y(value) + 4, "text-anchor": "end" }, short(value)));
  }
  for (const tick of spread(ticks, 7)) {
    svg.append(element("text", { x: x(tick), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, tick.short));
  }
  svg.append(element("text", { x: LEFT, y: 18 }, label));
  svg.append(element("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, name));
  svg.append(element("line", { class: "here", x1: x(ticks[here]), x2: x(ticks[here]), y1: TOP, y2: HEIGHT - BOTTOM }));
  lines.forEach((values, series) => {
    const points = values.map((value, i) => [value, ticks[i]]).filter(([value]) => value !== null);
    const path = points.map(([value, tick], i) => `${i ? "L" : "M"}${x(tick).toFixed(1)} ${y(value).toFixed(1)}`);
    svg.append(element("path", { class: `s${series}`, d: path.join("") }));
    if (values[here] !== null && points.length) {
      svg.append(element("circle", { class: `d${series}`, r: 4.5, cx: x(ticks[here]), cy: y(values[here]) }));
    }
  });
  return svg;
}

const number = (text) => (text === "" ? null : Number(text.replaceAll(",", "")));

function explorable(root) {
  const data = JSON.parse(document.getElementById(root.dataset.source).textContent);
  const form = root.querySelector(".controls");
  const sliders = all(form, "input[type=range]");
  const measure = form.querySelector("select");
  const show = () => {
    const at = sliders.map((slider) => Number(slider.value));
    const chosen = data.axes.map((axis, k) => axis.ticks[at[k]]);
    sliders.forEach((slider, k) => {
      slider.setAttribute("aria-valuetext", chosen[k].text);
      slider.parentElement.querySelector("output").textContent = chosen[k].text;
    });
    all(root, ".now .setting").forEach((setting, k) => (setting.textContent = chosen[k].text));
    const cells = data.texts[at[0]][at[1]].flat();
    all(root, ".now td").forEach((cell, k) => (cell.textContent = cells[k]));
    root.querySelector(".said").textContent = data.sentences[at[0]][at[1]];
    draw(at, chosen);
  };
  const draw = (at, chosen) => {
    const m = Number(measure.value);
    const along = [
      (i, series) => number(data.texts[i][at[1]][series][m]),
      (j, series) => number(data.texts[at[0]][j][series][m]),
    ];
    const curves = data.axes.flatMap((axis, k) => {
      if (axis.ticks.length < 2) return [];
      const lines = data.series.map((_, series) => axis.ticks.map((_, i) => along[k](i, series)));
      const label = `${data.measures[m]} at ${chosen[1 - k].text}`;
      return [drawn({ ticks: axis.ticks, name: axis.name, here: at[k], label, lines })];
    });
    root.querySelector(".curves").replaceChildren(...curves);
  };
  for (const control of [...sliders, measure]) control.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
}

/* On paper everything is open, and what was closed is closed again afterwards. */

function openForPrint() {
  const opened = [];
  const toggle = (printing) => {
    if (!printing) {
      for (const part of opened.splice(0)) part.open = false;
      return;
    }
    for (const part of all(document, "details:not([open])")) {
      part.open = true;
      opened.push(part);
    }
  };
  const media = window.matchMedia("print");
  media.addEventListener("change", () => toggle(media.matches));
  window.addEventListener("beforeprint", () => toggle(true));
  window.addEventListener("afterprint", () => toggle(media.matches));
}

for (const form of all(document, ".ledger .filter")) filtered(form);
for (const root of all(document, ".explorer")) explorable(root);
openForPrint();
