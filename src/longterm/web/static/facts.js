// @ts-check
/** The list of facts: by type, filtered, as of a date; brought up to date without being rebuilt. */

import { factCard, inWords } from "./fact.js";
import { debounced, empty, fill, get, h, icon, post, session, skeleton, tell, toast } from "./lib.js";
import { failed, pushButton, unread, wordButton } from "./pieces.js";

/** @typedef {import("./fact.js").Fact} Fact */

/** @type {Record<string, string>} the types in the order in which they are shown */
const TYPES = {
  identity: "About you", preference: "Preferences", constraint: "Constraints", instruction: "Instructions",
  project: "Projects", decision: "Decisions", entity: "People and things", fact: "Other facts",
};
const ORDER = Object.keys(TYPES);
const STEP = 60;

/** @param {Fact} one @param {Fact} other */
function inOrder(one, other) {
  return ORDER.indexOf(one.type) - ORDER.indexOf(other.type)
    || Number(other.pinned) - Number(one.pinned)
    || (one.category ?? "").localeCompare(other.category ?? "")
    || other.said_at.localeCompare(one.said_at);
}

/** The end of a day here, as the server takes it. @param {string} day */
const endOf = (day) => new Date(`${day}T23:59:59`).toISOString();

/**
 * Show the facts; `refresh` brings them up to date.
 * @param {HTMLElement} root
 */
export function mountFacts(root) {
  /** @type {Map<string, ReturnType<typeof factCard>>} */
  const cards = new Map();
  /** @type {Map<string, string>} what is new since the list was opened: id → how */
  const news = new Map();
  /** @type {Set<string>} */
  const gone = new Set();
  /** @type {Fact[] | null} */
  let all = null;
  let wanted = { type: "", category: "", pinned: false, archived: false, words: "" };
  let asOf = "";
  let shown = STEP;
  let reading = 0;

  const search = h("input", { type: "search", class: "field", placeholder: "Search memories", "aria-label": "Search memories",
    oninput: debounced(() => narrow({ words: search.value.trim().toLowerCase() }), 80) });
  const date = h("input", { type: "date", class: "field", title: "What was known on a date",
    max: new Date().toLocaleDateString("sv"), onchange: () => void then(date.value) });
  const types = h("div", { class: "chips", role: "group", "aria-label": "Types" });
  const categories = h("select", { class: "field", "aria-label": "Category",
    onchange: () => narrow({ category: categories.value }) });
  const mark = h("div", { class: "as-of", role: "status" });
  const adding = h("div");
  const list = h("div", { class: "facts", "aria-busy": "true" }, skeleton(8));
  const more = h("div", { class: "sentinel" });
  const said = h("p", { class: "hushed", role: "status" });
  fill(root, h("div", { class: "facts-view" },
    h("div", { class: "filters" }, h("div", { class: "filter-row" }, search, h("label", { class: "dated" }, "As of", date)),
      h("div", { class: "choosers" }, types, categories)),
    h("div", { class: "facts-list" }, adding, mark, said, list, more)));

  const watch = new IntersectionObserver((seen) => {
    if (!seen.at(-1)?.isIntersecting || !all || shown >= matching().length) return;
    shown += STEP;
    draw();
    // Asked anew: nothing is told while the end stays in sight.
    watch.unobserve(more);
    watch.observe(more);
  }, { root: root.closest(".memory-scroll"), rootMargin: "800px" });
  watch.observe(more);

  /** @param {Partial<typeof wanted>} changes */
  function narrow(changes) {
    wanted = { ...wanted, ...changes };
    shown = STEP;
    draw();
  }

  /** @param {string} day */
  async function then(day) {
    asOf = date.value = day;
    cards.clear();
    news.clear();
    all = null;
    fill(list, skeleton(6));
    await refresh();
  }

  /** @type {import("./fact.js").Hands} */
  const hands = {
    changed: (fact) => {
      all = (all ?? []).map((known) => (known.id === fact.id ? fact : known)).toSorted(inOrder);
      draw();
      tell("memory-changed");
    },
    gone: (id, is) => { is ? gone.add(id) : gone.delete(id); draw(); },
    asOf: (moment) => void then(new Date(moment).toLocaleDateString("sv")),
    stale: () => void refresh(),
  };

  async function refresh() {
    const turn = ++reading;
    try {
      const { items } = await get("/api/memories", { archived: "any", as_of: asOf && endOf(asOf) });
      if (turn !== reading) return;
      notice(items);
      all = items.toSorted(inOrder);
      draw();
    } catch (problem) {
      if (turn !== reading) return;
      if (all) return failed(problem);
      fill(list, unread("Memory could not be read", problem, () => void refresh()));
    }
    list.removeAttribute("aria-busy");
  }

  /** Mark what was learned while the list was open. @param {Fact[]} items */
  function notice(items) {
    if (!all || asOf) return;
    const known = new Map(all.map((fact) => [fact.id, fact.content]));
    let fresh = 0;
    for (const fact of items) {
      if (known.get(fact.id) === fact.content) continue;
      news.set(fact.id, known.has(fact.id) ? "changed" : "new");
      fresh += 1;
    }
    if (fresh) said.textContent = fresh === 1 ? "One memory is new or changed." : `${fresh} memories are new or changed.`;
  }

  function matching() {
    return (all ?? []).filter((fact) => !gone.has(fact.id)
      && fact.archived === wanted.archived
      && (!wanted.pinned || fact.pinned)
      && (!wanted.type || fact.type === wanted.type)
      && (!wanted.category || fact.category === wanted.category)
      && (!wanted.words || `${fact.content} ${fact.category} ${inWords(fact.key ?? "")}`.toLowerCase().includes(wanted.words)));
  }

  function draw() {
    if (!all) return;
    drawFilters(all.filter((fact) => !gone.has(fact.id)));
    const found = matching();
    /** @type {HTMLElement[]} */
    const rows = [];
    let type = "";
    for (const fact of found.slice(0, shown)) {
      if (fact.type !== type) rows.push(heading(type = fact.type, found));
      rows.push(cardOf(fact));
    }
    place(rows.length ? rows : [nothing()]);
  }

  /** @param {Fact} fact */
  function cardOf(fact) {
    let made = cards.get(fact.id);
    if (!made) cards.set(fact.id, made = factCard(fact, hands, { fixed: asOf !== "" }));
    made.show(fact, news.get(fact.id));
    return made.card;
  }

  /** @param {string} type @param {Fact[]} found */
  function heading(type, found) {
    const count = found.filter((fact) => fact.type === type).length;
    return h("h3", { class: "group" }, TYPES[type] ?? type, h("span", { class: "soft" }, ` ${count}`));
  }

  /** Put rows in place and leave alone those that are there already: focus and scroll stay. @param {HTMLElement[]} rows */
  function place(rows) {
    const wantedRows = new Set(rows);
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    for (const row of [...list.children]) if (!wantedRows.has(/** @type {HTMLElement} */ (row))) row.remove();
    let at = list.firstChild;
    for (const row of rows) {
      if (row === at) at = at.nextSibling;
      else list.insertBefore(row, at);
    }
    if (active?.isConnected && active !== document.activeElement && list.contains(active)) active.focus({ preventScroll: true });
  }

  /** @param {Fact[]} facts */
  function drawFilters(facts) {
    const here = facts.filter((fact) => fact.archived === wanted.archived);
    const chosen = types.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.chip : null;
    const archived = facts.filter((fact) => fact.archived).length;
    fill(types,
      chip("all", "All", here.length, !wanted.type && !wanted.pinned, { type: "", pinned: false }),
      here.some((fact) => fact.pinned) || wanted.pinned
        ? chip("pinned", "Pinned", here.filter((fact) => fact.pinned).length, wanted.pinned, { pinned: !wanted.pinned }) : null,
      ORDER.map((type) => {
        const count = here.filter((fact) => fact.type === type).length;
        const on = wanted.type === type;
        return count || on ? chip(type, TYPES[type], count, on, { type: on ? "" : type }) : null;
      }),
      archived || wanted.archived
        ? chip("archived", "Archived", archived, wanted.archived, { archived: !wanted.archived, type: "" }) : null);
    if (chosen) /** @type {HTMLElement | null} */ (types.querySelector(`[data-chip="${chosen}"]`))?.focus();
    const names = [...new Set(facts.map((fact) => fact.category).filter((name) => name !== null))].sort();
    if (names.join() !== categories.dataset.names) {
      categories.dataset.names = names.join();
      fill(categories, h("option", { value: "" }, "All categories"), names.map((name) => h("option", { value: name }, name)));
      categories.value = wanted.category;
    }
    categories.hidden = names.length < 2;
    fill(mark, asOf && h("div", null, icon("clock"), h("span", null, "As it was known on ",
      h("strong", null, new Date(`${asOf}T12:00`).toLocaleDateString(undefined, { dateStyle: "long" }))),
    wordButton("Back to now", () => { void then(""); date.focus(); })));
  }

  /**
   * @param {string} name @param {string} label @param {number} count @param {boolean} on
   * @param {Partial<typeof wanted>} changes
   */
  function chip(name, label, count, on, changes) {
    const press = () => narrow(changes);
    return h("button", { type: "button", class: "chip", "data-chip": name, "aria-pressed": String(on), onclick: press },
      label, h("span", { class: "count" }, count));
  }

  function nothing() {
    if (asOf) return empty("clock", "Nothing was known then", "Choose a later day, or go back to now.");
    if (all?.length && !gone.size) {
      const found = empty("search", "Nothing matches", "No memory has these words within these filters.");
      found.append(pushButton("Show all", clear, { kind: "button" }));
      return found;
    }
    const first = empty("brain", "Nothing remembered yet",
      "Tell something about yourself in a chat, such as “I live in Lisbon and prefer trains”. ",
      "What lasts is noted here; you can correct it or have it forgotten.");
    first.append(pushButton("Load a demo conversation", () => void demo(first), { kind: "button" }));
    return first;
  }

  function clear() {
    search.value = categories.value = "";
    narrow({ type: "", category: "", pinned: false, archived: false, words: "" });
    search.focus();
  }

  /** @param {HTMLElement} box */
  async function demo(box) {
    box.setAttribute("aria-busy", "true");
    try {
      await post("/api/demo", { user_id: session.userId });
      tell("memory-changed");
      tell("conversations");
      await refresh();
    } catch (problem) {
      failed(problem);
    }
    box.removeAttribute("aria-busy");
  }

  /** Show the form to add one, or take it away. */
  function add() {
    if (adding.firstChild) return void fill(adding);
    fill(adding, newFact(async (fact) => {
      const made = await post("/api/memories", { user_id: session.userId, actor: "user", ...fact });
      toast(all?.some((known) => known.id === made.id) ? "That was known already; it counts once more." : "Remembered.");
      await refresh();
      tell("memory-changed");
    }, () => fill(adding)));
  }

  /** Go to a fact in the list, whatever was filtered. @param {string} id */
  function find(id) {
    clear();
    shown = Math.max(STEP, matching().findIndex((fact) => fact.id === id) + STEP);
    draw();
    const card = cards.get(id)?.card;
    card?.scrollIntoView({ block: "center" });
    /** @type {HTMLElement | null | undefined} */ (card?.querySelector("[data-act]"))?.focus({ preventScroll: true });
  }

  void refresh();
  return { refresh, add, find, ids: () => new Set((all ?? []).map((fact) => fact.id)), end: () => watch.disconnect() };
}

/**
 * A form for a new fact.
 * @param {(fact: {content: string, type: string, category?: string}) => Promise<void>} save @param {() => void} close
 */
function newFact(save, close) {
  const content = h("textarea", { class: "field", rows: 2, maxlength: 500, required: true,
    "aria-label": "What to remember", placeholder: "Ada prefers trains to planes." });
  const type = h("select", { class: "field", "aria-label": "Type" },
    ORDER.toReversed().map((name) => h("option", { value: name }, name)));
  const category = h("input", { class: "field", maxlength: 255, "aria-label": "Category, may be empty", placeholder: "Category" });
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", { class: "card editor adding" }, h("h3", null, "Remember something"), content,
    h("div", { class: "filter-row" }, type, category), problem,
    h("div", { class: "editor-foot" }, pushButton("Cancel", close),
      h("button", { type: "submit", class: "button slim primary" }, "Remember")));
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const named = category.value.trim();
      await save({ content: content.value.trim(), type: type.value, ...(named && { category: named }) });
      close();
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    }
  });
  queueMicrotask(() => content.focus());
  return form;
}
