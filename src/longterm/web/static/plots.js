// @ts-check
/** Plots drawn as SVG: numbers on hover and by arrow keys, and the same as a table beneath. */

import { h, svg } from "./lib.js";
import { counted, spent } from "./pieces.js";

/** @typedef {{name: string, colour: string, values: number[]}} Series */
/**
 * @typedef {object} Plot
 * @property {string} title
 * @property {string} about one sentence
 * @property {string[]} days
 * @property {Series[]} series
 * @property {"bars" | "area"} kind
 * @property {(value: number) => string} [say] a number in words
 * @property {string} [total] what is said while no day is chosen
 */

const HEIGHT = 168;
const ROOM = { top: 8, right: 4, bottom: 22, left: 40 };

/** @param {string} day */
const short = (day) => new Date(`${day}T12:00`).toLocaleDateString(undefined, { day: "numeric", month: "short" });
/** @param {number} value */
const plain = (value) => value.toLocaleString(undefined, { maximumFractionDigits: 2 });

/** The next round number, so that the axis has round marks. @param {number} most */
function roundUp(most) {
  if (most <= 4) return 4;
  const size = 10 ** Math.floor(Math.log10(most));
  return ([1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((step) => step * size >= most) ?? 10) * size;
}

/**
 * A figure over days.
 * @param {Plot} plot
 * @returns {HTMLElement}
 */
export function dayPlot(plot) {
  const { say = plain, series, days } = plot;
  const readout = h("output", { class: "readout" });
  const holder = h("div", { class: "plot", tabindex: 0, role: "group",
    "aria-label": `${plot.title}. ${plot.about} Arrow keys go through the days.` });
  const legend = h("ul", { class: "legend" }, series.map((each) => h("li", { class: each.colour }, each.name)));
  let chosen = -1;
  let width = 0;

  function tell() {
    const parts = series.map((each) => `${each.name} ${say(each.values[chosen] ?? 0)}`);
    readout.textContent = chosen < 0 ? plot.total ?? "" : `${short(days[chosen])}: ${parts.join(", ")}`;
    holder.querySelectorAll(".column").forEach((column, at) => column.classList.toggle("chosen", at === chosen));
  }
  /** @param {number} day */
  const choose = (day) => { chosen = Math.max(-1, Math.min(days.length - 1, day)); tell(); };

  holder.addEventListener("pointermove", (event) => {
    const at = (event.clientX - holder.getBoundingClientRect().left - ROOM.left) / (width - ROOM.left - ROOM.right);
    choose(at < 0 ? -1 : Math.floor(at * days.length));
  });
  holder.addEventListener("pointerleave", () => choose(-1));
  holder.addEventListener("focus", () => { if (chosen < 0) choose(days.length - 1); });
  holder.addEventListener("blur", () => choose(-1));
  holder.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: Math.max(0, chosen - 1), ArrowRight: chosen + 1, Home: 0, End: days.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  });
  new ResizeObserver(([{ contentRect }]) => {
    // A plot that was taken away has no width.
    if (contentRect.width < 2 * ROOM.left || Math.abs(contentRect.width - width) < 1) return;
    width = contentRect.width;
    holder.replaceChildren(draw(plot, width, say));
    tell();
  }).observe(holder);
  tell();
  return h("figure", { class: "figure card" },
    h("figcaption", null, h("h2", null, plot.title), series.length > 1 && legend, readout), holder,
    table(plot.title, ["Day", ...series.map((each) => each.name)],
      days.map((day, at) => [short(day), ...series.map((each) => say(each.values[at] ?? 0))])));
}

/** @param {Plot} plot @param {number} width @param {(value: number) => string} say */
function draw({ kind, days, series }, width, say) {
  const inside = { width: width - ROOM.left - ROOM.right, height: HEIGHT - ROOM.top - ROOM.bottom };
  const heights = days.map((_, at) => series.reduce((sum, each) => sum + (each.values[at] ?? 0), 0));
  const most = kind === "bars" ? Math.max(...heights) : Math.max(...series.flatMap((each) => each.values));
  const top = most < 1 && most > 0 ? most : roundUp(most);
  const step = inside.width / days.length;
  /** @param {number} value */
  const y = (value) => ROOM.top + inside.height * (1 - value / top);
  /** @param {number} at */
  const x = (at) => ROOM.left + at * step;
  const drawn = svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" });
  for (const share of [0, 0.5, 1]) {
    drawn.append(svg("line", { class: "rule", x1: ROOM.left, x2: width - ROOM.right, y1: y(top * share), y2: y(top * share) }),
      svg("text", { class: "tick", x: ROOM.left - 8, y: y(top * share) + 4, "text-anchor": "end" }, say(top * share)));
  }
  const every = Math.ceil(days.length / Math.max(2, Math.floor(inside.width / 84)));
  days.forEach((day, at) => {
    if (at % every === 0 && x(at) + 44 < width)
      drawn.append(svg("text", { class: "tick", x: x(at) + Math.min(step / 2, 2), y: HEIGHT - 5 }, short(day)));
    drawn.append(svg("rect", { class: "column", x: x(at), y: ROOM.top, width: step, height: inside.height }));
  });
  for (const shape of kind === "bars" ? bars(days, series, x, y, step) : area(days, series, x, y, step)) drawn.append(shape);
  return drawn;
}

/** @typedef {(at: number) => number} Scale */

/** @param {string[]} days @param {Series[]} series @param {Scale} x @param {Scale} y @param {number} step */
function* bars(days, series, x, y, step) {
  const gap = Math.min(6, step * 0.28);
  for (let at = 0; at < days.length; at += 1) {
    let below = 0;
    for (const each of series) {
      const value = each.values[at] ?? 0;
      if (!value) continue;
      const [top, bottom] = [y(below + value), y(below)];
      yield svg("rect", { class: `block ${each.colour}`, x: x(at) + gap / 2, y: top,
        width: Math.max(1, step - gap), height: Math.max(1, bottom - top), rx: Math.min(2, step / 4) });
      below += value;
    }
  }
}

/** @param {string[]} days @param {Series[]} series @param {Scale} x @param {Scale} y @param {number} step */
function* area(days, series, x, y, step) {
  for (const each of series) {
    const points = days.map((_, at) => `${(x(at) + step / 2).toFixed(1)},${y(each.values[at] ?? 0).toFixed(1)}`);
    const line = `M${points.join("L")}`;
    const [first, last] = [x(0) + step / 2, x(days.length - 1) + step / 2];
    yield svg("path", { class: `under ${each.colour}`, d: `${line}L${last},${y(0)}L${first},${y(0)}Z` });
    yield svg("path", { class: `line ${each.colour}`, d: line });
  }
}

/**
 * Bars beside names: the middle, and how far the slow ones go.
 * @param {string} title @param {{name: string, middle: number, slow: number, count: number}[]} rows
 */
export function rangePlot(title, rows) {
  const most = Math.max(...rows.map((row) => row.slow), 0.1);
  return h("figure", { class: "figure card" },
    h("figcaption", null, h("h2", null, title),
      h("ul", { class: "legend" }, h("li", { class: "one" }, "p50"), h("li", { class: "faint" }, "p95")),
      h("span", { class: "readout" }, `${counted(rows[0].count, "answer")}, 19 of 20 faster than p95`)),
    h("div", { class: "ranges", role: "list" }, rows.map((row) => {
      const bar = h("span", { class: "range", "aria-hidden": "true" });
      bar.style.setProperty("--middle", `${(100 * row.middle) / most}%`);
      bar.style.setProperty("--slow", `${(100 * row.slow) / most}%`);
      return h("div", { role: "listitem", class: "range-row" }, h("span", null, row.name), bar,
        h("span", { class: "range-numbers" }, `${spent(row.middle)} · ${spent(row.slow)}`));
    })),
    table(title, ["Stage", "p50", "p95", "Answers"],
      rows.map((row) => [row.name, spent(row.middle), spent(row.slow), plain(row.count)])));
}

/** The numbers of a plot, folded. @param {string} title @param {string[]} head @param {string[][]} rows */
export function table(title, head, rows) {
  const details = h("details", { class: "numbers" }, h("summary", null, "As a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    const cell = (/** @type {string} */ text, /** @type {number} */ at) =>
      (at ? h("td", { class: "number" }, text) : h("th", { scope: "row" }, text));
    const made = h("table", null, h("caption", { class: "hushed" }, title),
      h("thead", null, h("tr", null, head.map((name, at) => h("th", { scope: "col", class: at ? "number" : null }, name)))),
      h("tbody", null, rows.map((row) => h("tr", null, row.map(cell)))));
    details.append(h("div", { class: "table-holder", tabindex: 0, role: "group", "aria-label": `${title}, table` }, made));
  });
  return details;
}

/** A few numbers, large. @param {{label: string, value: string, note?: string, bad?: boolean}[]} numbers */
export function tiles(numbers) {
  return h("dl", { class: "tiles" }, numbers.map((each) => h("div", { class: each.bad ? "card bad" : "card" },
    h("dt", null, each.label), h("dd", null, each.value), each.note && h("dd", { class: "tiny soft" }, each.note))));
}
