// @ts-check
/** The memory panel: how full it is, its tabs, and learning from a conversation at once. */

import { mountFacts } from "./facts.js";
import { fill, get, h, iconButton, on, post, session } from "./lib.js";
import { counted, failed, pushButton, wordButton } from "./pieces.js";
import { mountPlaces } from "./places.js";
import { mountEpisodes, mountKeyValues } from "./stores.js";

/** @typedef {import("./fact.js").Fact} Fact */
/** @typedef {{refresh: () => Promise<void>}} Store */

/** The tabs: their names, and which version of the server's tells that they changed. */
const TABS = /** @type {const} */ ([
  ["facts", "Facts", "memory"], ["episodes", "Episodes", "conversations"],
  ["places", "Places", "places"], ["values", "Key-value", "keyvalues"],
]);

/**
 * Show what is remembered about the user.
 * @param {HTMLElement} root
 * @param {{panel?: boolean}} [options] beside a conversation, or as a page of its own
 * @returns {() => void} ends it
 */
export function mountMemory(root, { panel = false } = {}) {
  /** @type {Record<string, Store>} */
  const stores = {};
  /** @type {ReturnType<typeof mountFacts> | null} */
  let facts = null;
  /** @type {Record<string, any>} */
  let versions = {};

  const fullness = h("div", { class: "fullness" });
  const learning = h("span", { class: "learning" });
  const outcome = h("div", { class: "outcome", role: "status" });
  const learn = pushButton("Extract memories", () => void extract(), { name: "spark" });
  const pages = TABS.map(() => h("div"));
  const panels = TABS.map(([name, label], at) => h("div",
    { role: "tabpanel", id: `memory-${name}`, "aria-label": label, hidden: true },
    !panel && h("h2", { class: "hushed" }, label), pages[at]));
  const tabs = TABS.map(([name, label], at) => h("button", {
    type: "button", role: "tab", "aria-controls": `memory-${name}`, onclick: () => choose(at),
  }, label));
  const tablist = h("div", { class: "tabs", role: "tablist", "aria-label": "Kinds of memory", onkeydown: turn }, tabs);
  const scroller = h("div", { class: "memory-scroll" }, h("div", { class: "memory-inside" }, outcome, panels));
  const add = pushButton("Add", () => { choose(0); facts?.add(); }, { name: "plus" });
  const off = h("p", { class: "note", hidden: session.me?.memory !== false },
    "Memory is switched off here: nothing new is learned, and nothing is used for answers.");
  fill(root, h("section", { class: panel ? "memory" : "memory wide", "aria-label": "Memory" },
    h("div", { class: "memory-top" }, off, fullness,
      h("div", { class: "memory-tools" }, learn, add, learning), tablist),
    scroller));

  /** @param {number} at @param {boolean} [focus] */
  function choose(at, focus = false) {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === at));
      tab.tabIndex = index === at ? 0 : -1;
      panels[index].hidden = index !== at;
    });
    if (focus) tabs[at].focus();
    open(TABS[at][0], pages[at]);
  }

  /** @param {string} name @param {HTMLElement} page */
  function open(name, page) {
    if (stores[name]) return;
    if (name === "facts") stores[name] = facts = mountFacts(page);
    if (name === "episodes") stores[name] = mountEpisodes(page);
    if (name === "places") stores[name] = mountPlaces(page);
    if (name === "values") stores[name] = mountKeyValues(page);
  }

  /** @param {KeyboardEvent} event */
  function turn(event) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    choose((tabs.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement)) + step + tabs.length) % tabs.length, true);
  }

  async function measure() {
    try {
      const { metadata } = await get("/api/memories/document");
      const limit = session.me?.memory_tokens_limit ?? 10_000;
      const share = Math.min(100, (100 * metadata.token_count) / limit);
      const bar = h("div", {
        class: share >= 90 ? "meter warn" : "meter", role: "meter", "aria-label": "Tokens of memory",
        "aria-valuemin": 0, "aria-valuemax": limit, "aria-valuenow": metadata.token_count,
      });
      bar.style.setProperty("--share", `${share}%`);
      fill(fullness, bar, h("span", null, h("strong", null, metadata.token_count.toLocaleString()),
        ` of ${limit.toLocaleString()} tokens · ${counted(metadata.total_active_facts, "fact")}`,
        ` · ${counted(metadata.total_pois, "place")}`));
    } catch (problem) {
      fill(fullness, h("span", null, /** @type {Error} */ (problem).message));
    }
  }

  /** @returns {Promise<string>} the conversation that is open, or the user's current one */
  async function conversation() {
    const open = /^\/c\/([^/]+)/.exec(location.pathname)?.[1];
    return open ?? (await get("/api/conversations/current")).id;
  }

  async function extract() {
    choose(0);
    learn.disabled = true;
    fill(outcome, h("p", { class: "note" }, "Reading the conversation…"));
    try {
      const before = facts?.ids() ?? new Set();
      const { items } = await post("/api/memories/extract", { user_id: session.userId, conversation_id: await conversation() });
      await facts?.refresh();
      void measure();
      report(items.filter((/** @type {Fact} */ fact) => !before.has(fact.id)), items.length);
    } catch (problem) {
      const { status, message } = /** @type {import("./lib.js").Problem} */ (problem);
      fill(outcome, h("p", { class: "note bad" }, status === 404 ? "There is no conversation to learn from yet." : message));
    }
    learn.disabled = false;
  }

  /** Say what came of an extraction, where it can be seen. @param {Fact[]} fresh @param {number} all */
  function report(fresh, all) {
    const known = all - fresh.length;
    fill(outcome, h("div", { class: "note" },
      h("p", null, h("strong", null, fresh.length ? counted(fresh.length, "new memory", "new memories") : "Nothing new"),
        ` in this conversation; ${known ? `${known} known already` : "none known before"}.`),
      iconButton("close", "Put away", () => fill(outcome)),
      h("ul", null, fresh.map((fact) => h("li", null,
        wordButton(fact.content, () => facts?.find(fact.id)))))));
    outcome.scrollIntoView({ block: "nearest" });
  }

  const ends = [
    on("changes", (now) => {
      learning.textContent = now.learning ? `learning from ${counted(now.learning, "message")}…` : "";
      const before = versions;
      versions = now;
      for (const [name, , version] of TABS)
        if (before[version] !== now[version]) void stores[name]?.refresh().catch(failed);
      if (before.memory !== now.memory || before.places !== now.places) void measure();
    }),
    on("memory-changed", () => void measure()),
  ];
  choose(0);
  void measure();
  return () => {
    ends.forEach((end) => end());
    facts?.end();
    root.replaceChildren();
  };
}
