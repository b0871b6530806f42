// @ts-check
/** Insight: what is said, how memory grows, how fast it answers, what it costs, how clean it is. */

import { empty, fill, get, h, session, skeleton, time } from "./lib.js";
import { counted, unread } from "./pieces.js";
import { dayPlot, rangePlot, tiles } from "./plots.js";

const SPANS = [7, 30, 90];

/** The days up to today, oldest first; they are the server's, and those are of UTC. @param {number} count */
function daysUntilNow(count) {
  const back = (/** @type {number} */ days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, at) => back(count - 1 - at));
}

/** One number for each day, also for those without. @param {string[]} days @param {any[]} rows @param {string} name */
function perDay(days, rows, name) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const row of rows) sums.set(row.day, (sums.get(row.day) ?? 0) + (row[name] ?? 0));
  return days.map((day) => sums.get(day) ?? 0);
}

/** The total at the end of each day; a day without a row leaves it as it was. @param {string[]} days @param {any[]} rows */
function totals(days, rows) {
  const known = new Map(rows.map((row) => [row.day, row.total]));
  let last = Math.max(0, rows[0].total - rows[0].added);
  return days.map((day) => (last = known.get(day) ?? last));
}

/** @param {number[]} values */
const sum = (values) => values.reduce((all, value) => all + value, 0);
/** @param {number} number */
const words = (number) => number.toLocaleString(undefined, { maximumFractionDigits: 1 });
/** @param {number} number */
const compact = (number) => number.toLocaleString(undefined, { notation: "compact", maximumFractionDigits: 1 });
/** @param {number} cost */
const money = (cost) => (cost > 0 && cost < 0.0001 ? "under $0.0001"
  : cost.toLocaleString(undefined, { style: "currency", currency: "USD", maximumFractionDigits: cost < 0.01 ? 4 : 2 }));
/** How late something is. @param {number} seconds */
const late = (seconds) => (seconds < 100 ? `${words(seconds)} s` : seconds < 6000 ? `${words(Math.round(seconds / 60))} min` : `${words(seconds / 3600)} h`);

/**
 * Show what happened lately.
 * @param {HTMLElement} root
 * @returns {() => void} ends it
 */
export function mountInsight(root) {
  let turn = 0;
  let span = 30;
  let everybody = false;
  const mayAll = session.me?.scope !== "user";
  const spans = h("div", { class: "chips", role: "group", "aria-label": "How many days" });
  const body = h("div", { class: "figures" });
  fill(root, h("div", { class: "insight" }, h("div", { class: "page-inside" }, h("div", { class: "insight-top" }, spans), body)));

  function draw() {
    const at = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.span;
    fill(spans, SPANS.map((days) => chip(`${days} days`, span === days, () => (span = days))),
      mayAll && [h("span", { class: "divider" }), chip(session.userId, !everybody, () => (everybody = false)),
        chip("Everybody", everybody, () => (everybody = true))]);
    if (at) /** @type {HTMLElement | null} */ (spans.querySelector(`[data-span="${CSS.escape(at)}"]`))?.focus();
  }

  /** @param {string} label @param {boolean} on @param {() => void} choose */
  function chip(label, on, choose) {
    const press = () => { choose(); void read(); };
    return h("button", { type: "button", class: "chip", "data-span": label, "aria-pressed": String(on), onclick: press }, label);
  }

  async function read() {
    draw();
    const mine = ++turn;
    if (!body.firstChild) fill(body, Array.from({ length: 4 }, () => h("div", { class: "card figure awaited" }, skeleton(5))));
    body.setAttribute("aria-busy", "true");
    try {
      const told = await get("/api/insight", { days: span, ...(everybody && { user_id: null }) }, { anonymous: everybody });
      if (mine === turn) fill(body, figures(told, daysUntilNow(span)));
    } catch (problem) {
      if (mine === turn) fill(body, unread("Insight could not be read", problem, () => void read()));
    }
    if (mine === turn) body.removeAttribute("aria-busy");
  }

  void read();
  return () => { turn = -1; root.replaceChildren(); };
}

/** @param {any} told @param {string[]} days */
function figures(told, days) {
  const hygiene = Object.entries(told.hygiene ?? {}).map(([name, count]) => {
    const [label, note] = HYGIENE[name] ?? [name.replaceAll("_", " "), ""];
    return { label, note, value: words(count ?? 0) };
  });
  return [
    queue(told.queue ?? {}),
    messages(told.messages_per_day ?? [], days),
    growth(told.memory_per_day ?? [], days),
    latency(told.recall?.stages ?? []),
    spending(told.usage ?? [], days),
    costs(told.usage ?? []),
    h("section", { class: "whole" }, h("h2", { class: "section-title" }, "Hygiene"), hygiene.length
      ? tiles(hygiene)
      : empty("check", "Nothing to tidy up", "Duplicates, refused and stale memories would be counted here.")),
    failures(told.queue?.failures ?? []),
  ];
}

/** @type {Record<string, [string, string]>} */
const HYGIENE = {
  duplicates: ["Duplicates", "said again, and counted once"],
  refused: ["Refused", "secrets and noise, not kept"],
  stale: ["Stale", "old, and not used for long"],
  unread: ["Unread", "messages not learned from yet"],
  unused: ["Unused", "known for a month, used for no answer"],
};

/** What stands where a plot has nothing to show. @param {string} title @param {string} text */
const none = (title, text) =>
  h("section", { class: "figure card none" }, h("h2", null, title), h("p", { class: "soft small" }, text));

/** @param {any[]} rows @param {string[]} days */
function messages(rows, days) {
  const title = "Messages per day";
  const [asked, answered] = [perDay(days, rows, "user"), perDay(days, rows, "assistant")];
  if (!sum(asked) && !sum(answered)) return none(title, "No messages in this time. They are counted here from the first one on.");
  return dayPlot({
    title, about: `${sum(asked)} asked and ${sum(answered)} answered in ${days.length} days.`, kind: "bars", days, say: words,
    total: `${words(sum(asked) + sum(answered))} in ${days.length} days`,
    series: [{ name: "asked", colour: "one", values: asked }, { name: "answered", colour: "two", values: answered }],
  });
}

/** @param {any[]} rows @param {string[]} days */
function growth(rows, days) {
  const title = "Growth of memory";
  if (!rows.length) return none(title, "Nothing was learned in this time.");
  const total = totals(days, rows);
  const changes = ["added", "replaced", "deleted"].map((name) => `${words(sum(perDay(days, rows, name)))} ${name}`).join(", ");
  return dayPlot({
    title, about: `${total.at(-1)} facts now; ${changes} in ${days.length} days.`, kind: "area", days, say: words, total: changes,
    series: [{ name: "facts", colour: "one", values: total }],
  });
}

/** @param {any[]} stages */
function latency(stages) {
  const title = "Recall, by stage";
  if (!stages.length) return none(title, "How long recall takes is measured with every answer; there was none in this time.");
  return rangePlot(title, stages.map(({ stage, p50_ms: middle, p95_ms: slow, n: count }) =>
    ({ name: stage.replaceAll("_", " "), middle, slow, count })));
}

/** @param {any[]} rows @param {string[]} days */
function spending(rows, days) {
  const title = "Tokens of the model";
  const [read, written] = [perDay(days, rows, "prompt_tokens"), perDay(days, rows, "answer_tokens")];
  if (!sum(read) && !sum(written))
    return none(title, "No call to a language model in this time. Without one, Longterm works by rules and costs nothing.");
  return dayPlot({
    title, about: `${compact(sum(read) + sum(written))} tokens in ${days.length} days.`, kind: "bars", days, say: compact,
    total: counted(sum(rows.map((row) => row.calls)), "call"),
    series: [{ name: "read", colour: "one", values: read }, { name: "written", colour: "two", values: written }],
  });
}

/** What each model read, wrote and costs, the dearest first. @param {any[]} rows as the server has them: a cost is exact, as text */
function costs(rows) {
  if (!rows.length) return null;
  const models = [...new Set(rows.map((row) => row.model))].map((model) => {
    const mine = rows.filter((row) => row.model === model);
    const of = (/** @type {string} */ name) => sum(mine.map((row) => Number(row[name])));
    return { model, calls: of("calls"), read: of("prompt_tokens"), written: of("answer_tokens"), cost: mine.some((row) => row.cost === null) ? null : of("cost") };
  }).sort((one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.read - one.read);
  const priced = models.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const number = (/** @type {import("./lib.js").Child} */ told) => h("td", { class: "number" }, told);
  const head = ["Model", "Calls", "Tokens read", "Written", "Cost"].map((name, at) => h("th", { scope: "col", class: at ? "number" : null }, name));
  return h("section", { class: "whole card costs", "aria-label": "What models cost" }, h("h2", null, "What models cost"),
    h("div", { class: "table-holder", tabindex: 0, role: "group", "aria-label": "Cost by model" }, h("table", null,
      h("thead", null, h("tr", null, head)),
      h("tbody", null, models.map((one) => h("tr", null, h("th", { scope: "row" }, one.model), number(words(one.calls)), number(compact(one.read)),
        number(compact(one.written)), number(one.cost === null ? h("span", { class: "soft" }, "no price set") : money(one.cost))))),
      priced.length > 1 && h("tfoot", null, h("tr", null, h("th", { scope: "row", colspan: 4 }, "Together"), number(money(sum(priced))))))),
    howToPrice(models.filter(({ cost }) => cost === null).map(({ model }) => model)));
}

/** What is said where models have no price, to those who can set one. @param {string[]} models */
function howToPrice(models) {
  if (!models.length || session.me?.scope === "user") return null;
  return h("p", { class: "soft tiny" }, "Prices are yours to set, in dollars for a million tokens read and written. Start Longterm with ",
    h("code", null, `LONGTERM_MODEL_PRICES="${models.map((model) => `${model}=…/…`).join(", ")}"`), ".");
}

/** @param {any} told */
function queue(told) {
  return h("section", { class: "whole", "aria-label": "Background work" }, tiles([
    { label: "Waiting", value: words(told.queued ?? 0), note: "jobs in the queue" },
    { label: "Running", value: words(told.running ?? 0), note: "at this moment" },
    { label: "Behind", value: late(told.lag_s ?? 0), note: "the oldest job waits" },
    { label: "Given up", value: words(told.dead ?? 0), note: told.dead ? "failed for good" : "nothing failed", bad: told.dead > 0 },
  ]));
}

/** @param {any[]} failed */
function failures(failed) {
  if (!failed.length) return null;
  return h("section", { class: "whole card failures" }, h("h2", null, "Failures"), h("ul", null, failed.map((each) => h("li", null,
    h("p", null, h("code", null, each.task),
      h("span", { class: "soft small" }, ` ${each.attempts} attempts, last `, each.at && time(each.at))),
    h("p", { class: "problem" }, each.error)))));
}
