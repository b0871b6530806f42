// @ts-check
/** The memories that were used for an answer: which, why, at what cost; pin, correct or delete. */

import { change, editor, inWords, remove, sourceLink, whereFrom } from "./fact.js";
import { fill, get, h, icon, iconButton, skeleton, tell, time } from "./lib.js";
import { counted, failed, pushButton, spent, wordButton } from "./pieces.js";

/**
 * @typedef {object} Used
 * @property {"fact" | "episode" | "turn"} kind
 * @property {string} id
 * @property {string | null} text
 * @property {number} score
 * @property {string[]} why
 * @property {number} tokens
 * @property {string | null} conversation_id
 * @property {number[]} message_ids
 * @property {string | null} said_at
 * @property {boolean} gone
 */
/** @typedef {import("./fact.js").Fact} Fact */

const FIRST = 8;

/** @type {Record<string, {icon: import("./lib.js").IconName, label: string}>} */
const KINDS = {
  fact: { icon: "brain", label: "Fact" },
  episode: { icon: "clock", label: "Episode" },
  turn: { icon: "user", label: "Said before" },
};

/** The styles of panels, which chat alone does not need. @returns {Promise<void>} */
function styled() {
  const href = new URL("./panels.css", import.meta.url).href;
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => resolve();
    document.head.append(h("link", { rel: "stylesheet", href, onload: done, onerror: done }));
  });
}

/**
 * Show which memories an answer used.
 * @param {HTMLElement} root @param {number | string} answerId
 * @returns {() => void} ends it
 */
export function mountUsed(root, answerId) {
  let left = false;
  fill(root, skeleton(3));
  const read = async () => {
    try {
      const [used] = await Promise.all([get(`/api/messages/${answerId}/memories`), styled()]);
      const facts = used.items.some((/** @type {Used} */ one) => one.kind === "fact" && !one.gone) ? await known() : new Map();
      if (!left) fill(root, summary(used, facts));
    } catch (problem) {
      if (!left) fill(root, h("div", { class: "recalled" }, h("p", { class: "problem" }, /** @type {Error} */ (problem).message),
        pushButton("Try again", () => void read())));
    }
  };
  void read();
  return () => { left = true; root.replaceChildren(); };
}

/** The facts as they are now, for what they are about and whether they are pinned. @returns {Promise<Map<string, Fact>>} */
async function known() {
  const { items } = await get("/api/memories", { archived: "any" });
  return new Map(items.map((/** @type {Fact} */ fact) => [fact.id, fact]));
}

/**
 * @param {{resolved_query: string, tokens: number, timings_ms: Record<string, number>, items: Used[]}} used
 * @param {Map<string, Fact>} facts
 */
function summary(used, facts) {
  const stages = Object.entries(used.timings_ms ?? {});
  const total = used.timings_ms?.total ?? stages.reduce((sum, [, took]) => sum + took, 0);
  return h("section", { class: "recalled", "aria-label": "Memories used" },
    used.resolved_query && h("p", { class: "small soft" }, "Looked for ", h("q", null, used.resolved_query)),
    used.items.length
      ? list(used.items.toSorted((one, other) => other.score - one.score).map((one) => item(one, facts.get(one.id))))
      : h("p", { class: "small soft" }, "Nothing remembered was needed for this answer."),
    h("div", { class: "recalled-cost" },
      h("p", { class: "tiny soft" }, `${used.tokens.toLocaleString()} tokens of memory · ${spent(total)} to find`),
      stages.length > 0 && stageBars(stages.filter(([stage]) => stage !== "total"), total)));
}

/** The best ones, and a button for the others. @param {HTMLElement[]} rows */
function list(rows) {
  const all = h("ol", { class: "recalled-list" }, rows.slice(0, FIRST));
  if (rows.length <= FIRST) return all;
  const more = wordButton(`Show all ${rows.length}`, () => {
    all.append(...rows.slice(FIRST));
    more.remove();
    /** @type {HTMLElement | null} */ (rows[FIRST].querySelector("a, button"))?.focus();
  });
  return h("div", null, all, more);
}

/** Where the milliseconds went. @param {[string, number][]} stages @param {number} total */
function stageBars(stages, total) {
  return h("dl", { class: "stages" }, stages.map(([stage, took]) => {
    const bar = h("span", { class: "stage-bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", `${Math.max(1, (100 * took) / Math.max(total, took, 0.1))}%`);
    return h("div", null, h("dt", null, stage.replaceAll("_", " ")), h("dd", null, bar, spent(took)));
  }));
}

/** @param {Used} used @param {Fact | undefined} fact */
function item(used, fact) {
  const kind = KINDS[used.kind] ?? KINDS.turn;
  const body = h("div", { class: "recalled-body" });
  const row = h("li", { class: "recalled-item" }, h("span", { class: "recalled-kind", title: kind.label },
    icon(kind.icon), h("span", { class: "hushed" }, kind.label)), body);
  let { gone } = used;
  let text = used.text ?? "";
  let pinned = fact?.pinned ?? false;

  function draw() {
    row.classList.toggle("gone", gone);
    const source = whereFrom(used.conversation_id, used.message_ids.at(-1));
    fill(body,
      fact?.key && !gone && h("p", { class: "fact-key" }, inWords(fact.key)),
      h("p", { class: "recalled-text" }, gone ? "Forgotten since: its words are gone." : text),
      h("div", { class: "recalled-foot" },
        h("p", { class: "fact-meta" },
          h("span", { class: "score", title: "Score" }, used.score.toFixed(2)),
          used.why.map((reason) => h("span", { class: "chip" }, reason)),
          used.tokens > 0 && h("span", null, counted(used.tokens, "token")),
          used.said_at && !gone && h("span", null, "said ", time(used.said_at))),
        !gone && h("div", { class: "fact-actions" },
          source && sourceLink(source),
          used.kind === "fact" && [
            iconButton("pin", "Pin", () => void pin(), { "aria-pressed": String(pinned), "data-act": "pin" }),
            iconButton("edit", "Correct", correct, { "data-act": "edit" }),
            iconButton("trash", "Delete", () => remove({ id: used.id, content: text }, left)),
          ])));
  }

  /** @param {boolean} is */
  function left(is) {
    gone = is;
    draw();
    tell("memory-changed");
  }

  async function pin() {
    try {
      ({ pinned } = await change(used.id, { pinned: !pinned }));
      draw();
      focus("pin");
    } catch (problem) {
      failed(problem);
    }
  }

  function correct() {
    fill(body, editor(text, "What is true", async (content) => { ({ content: text } = await change(used.id, { content })); },
      () => { draw(); focus("edit"); }));
  }

  /** @param {string} act */
  const focus = (act) => /** @type {HTMLElement | null} */ (body.querySelector(`[data-act="${act}"]`))?.focus();

  draw();
  return row;
}
