// @ts-check
/** The conversations: by day, searched, renamed, pinned, archived, deleted; thousands of them. */

import { debounced, del, empty, fill, get, h, icon, iconButton, menu, on, put, session, skeleton, tell, toast, undoable } from "./lib.js";

/**
 * @typedef {object} Conversation
 * @property {string} id
 * @property {string | null} title
 * @property {boolean} [pinned]
 * @property {boolean} archived
 * @property {string} updated_at
 * @property {string | null} [snippet] the text around what was searched for
 * @property {string | null} expires_at
 * @property {number | null} retention_hours
 * @property {any} metadata
 */
/** @typedef {{key: string, y: number, height: number, day?: string, one?: Conversation}} Line */

const PAGE = 50;
const DAY = 34;
const ROW = 36;
const HIT = 58;
/** How far beyond what is seen rows are drawn. */
const MARGIN = 400;

/** What is deleted once nobody undoes it. @type {Set<string>} */
const leaving = new Set();

/** @param {Conversation} one */
export const titleOf = (one) => one.title ?? "New conversation";

/** The button that opens the conversations on a phone. */
export const menuButton = () => iconButton("menu", "Conversations", () => tell("menu"), { class: "icon-button phone-only" });

/** The button that shows or hides memory beside a conversation. */
export function panelButton() {
  const shown = () => String(!document.getElementById("panel")?.hidden);
  const button = iconButton("brain", "Memory", () => tell("panel-toggle"), { "aria-pressed": shown(), "aria-controls": "panel" });
  const stop = on("panel", () => (button.isConnected ? button.setAttribute("aria-pressed", shown()) : stop()));
  return button;
}

/** What is around the first word that was searched for, so that it is seen in a narrow line. @param {string} text @param {string} searched */
function marked(text, searched) {
  const words = searched.toLowerCase().split(/\s+/).filter(Boolean);
  const [at, word] = words.map((one) => /** @type {[number, string]} */ ([text.toLowerCase().indexOf(one), one]))
    .filter(([place]) => place >= 0).sort((one, other) => one[0] - other[0])[0] ?? [-1, ""];
  if (at < 0) return text;
  const space = text.indexOf(" ", at - 16) + 1;
  const from = at <= 16 ? 0 : space > 0 && space <= at ? space : at;
  return [from ? "…" : null, text.slice(from, at), h("mark", null, text.slice(at, at + word.length)), text.slice(at + word.length)];
}

/** Change a conversation, and tell everybody. @param {Conversation} one @param {Record<string, any>} changes @returns {Promise<Conversation | null>} */
export async function change(one, changes) {
  try {
    const changed = await put(`/api/conversations/${one.id}`, changes);
    tell("conversation", changed);
    return changed;
  } catch (error) {
    toast(/** @type {Error} */ (error).message, { bad: true });
    return null;
  }
}

/** Put a conversation away, or take it out again. @param {Conversation} one */
export async function archive(one) {
  const done = await change(one, { archived: !one.archived });
  if (!done) return;
  tell("conversations");
  if (!one.archived && location.pathname === `/c/${one.id}`) tell("go", "/");
  const undo = async () => {
    await change(done, { archived: one.archived });
    tell("conversations");
  };
  toast(one.archived ? "Taken out of the archive." : "Archived.", { action: "Undo", press: undo });
}

/** Delete a conversation in a while. @param {Conversation} one */
export function remove(one) {
  leaving.add(one.id);
  tell("conversations", "known");
  const open = location.pathname === `/c/${one.id}`;
  if (open) tell("go", "/");
  undoable(`“${titleOf(one)}” is deleted.`, async () => {
    try {
      await del(`/api/conversations/${one.id}`, { keepalive: true });
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { bad: true });
      leaving.delete(one.id);
    }
    tell("conversations");
  }, () => {
    leaving.delete(one.id);
    tell("conversations", "known");
    if (open) tell("go", `/c/${one.id}`);
  });
}

/** Under which heading a conversation stands. @param {Conversation} one */
function dayOf(one) {
  if (one.pinned) return "Pinned";
  const then = new Date(one.updated_at);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(then).setHours(0, 0, 0, 0)) / 86400000);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return then.toLocaleDateString(undefined, { weekday: "long" });
  if (days < 31) return then.toLocaleDateString(undefined, { day: "numeric", month: "long" });
  return then.toLocaleDateString(undefined, { month: "long", year: "numeric" });
}

/** @param {HTMLElement} root */
export function mountSidebar(root) {
  /** @type {Conversation[]} */ let all = [];
  /** @type {string | null} */ let cursor = null;
  /** @type {Line[]} */ let lines = [];
  /** @type {Map<string, HTMLLIElement>} */ const drawn = new Map();
  /** The newest of each, for menus that were made earlier. @type {Map<string, Conversation>} */ const known = new Map();
  let archived = false;
  let loading = 0;
  let loaded = 0;
  let renaming = "";
  let current = location.pathname;

  const list = h("ul", { class: "conversations" });
  const note = h("div", { class: "list-note" });
  const scroller = h("div", { class: "scroller", onscroll: () => { draw(); more(); } }, list, note);
  const search = h("input", {
    class: "field", type: "search", placeholder: "Search", "aria-label": "Search conversations", maxlength: "255",
    oninput: debounced(() => load(), 200),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && search.value) { event.preventDefault(); search.value = ""; load(); }
      if (event.key === "ArrowDown") list.querySelector("a")?.focus();
    },
  });
  const old = iconButton("archive", "Show archived", () => {
    archived = !archived;
    old.setAttribute("aria-pressed", String(archived));
    load();
  }, { "aria-pressed": "false" });

  fill(root,
    h("header", { class: "bar" },
      h("a", { class: "brand", href: "/" }, h("span", { class: "mark", "aria-hidden": "true" }), "Longterm"),
      h("a", { class: "icon-button", href: "/?temporary", title: "Temporary chat: nothing of it is kept", "aria-label": "Temporary chat" }, icon("ghost")),
      h("a", { class: "icon-button", href: "/", title: "New chat", "aria-label": "New chat" }, icon("plus"))),
    h("div", { class: "search", role: "search" }, search, old),
    scroller,
    footer());

  function footer() {
    const who = h("span", { class: "who" });
    const say = () => { who.textContent = session.userId; };
    say();
    on("user", say);
    return h("footer", { class: "links" },
      link("/memory", "brain", "Memory"), link("/insight", "chart", "Insight"),
      h("div", { class: "links-row" },
        link("/settings", "settings", "Settings"), who,
        iconButton("help", "Keyboard shortcuts", () => tell("help"))));
  }

  /** @param {string} href @param {import("./lib.js").IconName} name @param {string} text */
  function link(href, name, text) {
    return h("a", { class: "link", href, "data-path": href }, icon(name), text);
  }

  /** Load from the beginning, as much as there was. @param {boolean} [quiet] leave what is seen in its place */
  async function load(quiet = false) {
    const turn = ++loading;
    if (!quiet) { all = []; scroller.scrollTop = 0; if (!search.value) fill(note, skeleton(6)); }
    const limit = quiet ? Math.min(Math.max(PAGE, all.length), 1000) : PAGE;
    try {
      const page = await get("/api/conversations", { limit, archived, search: search.value.trim() });
      if (turn !== loading) return;
      all = page.items;
      cursor = page.next_cursor;
      loaded = turn;
      arrange();
      tell("listed", { any: all.length > 0 || archived || search.value !== "" });
    } catch (error) {
      if (turn === loading) loaded = turn;
      if (turn === loading && !quiet) fill(note, empty("retry", "Not loaded", /** @type {Error} */ (error).message));
    }
  }

  let fetching = false;
  /** Load the next page when its place comes near. */
  async function more() {
    if (!cursor || fetching || loaded !== loading || scroller.scrollTop + scroller.clientHeight < list.clientHeight - 800) return;
    fetching = true;
    const turn = loading;
    try {
      const page = await get("/api/conversations", { limit: PAGE * 2, cursor, archived, search: search.value.trim() });
      // Meanwhile all of it was asked for anew, which goes on from there.
      if (turn !== loading) return;
      const have = new Set(all.map((one) => one.id));
      all = [...all, ...page.items.filter((/** @type {Conversation} */ one) => !have.has(one.id))];
      cursor = page.next_cursor;
      arrange();
    } catch {
      cursor = null;
    } finally {
      fetching = false;
      queueMicrotask(more);
    }
  }

  /** Give every line its place. */
  function arrange() {
    lines = [];
    let y = 0;
    let day = "";
    for (const one of all) {
      if (leaving.has(one.id)) continue;
      if (dayOf(one) !== day) {
        day = dayOf(one);
        lines.push({ key: day, y, height: DAY, day });
        y += DAY;
      }
      const height = one.snippet ? HIT : ROW;
      lines.push({ key: one.id, y, height, one });
      y += height;
    }
    list.style.setProperty("height", `${y}px`);
    fill(note, lines.length ? null : nothing());
    draw();
    more();
  }

  function nothing() {
    if (search.value) return empty("search", "Nothing found", "No title and no message has these words.");
    if (archived) return empty("archive", "Nothing archived", "What you archive is kept, and out of the way.");
    return h("p", { class: "soft small list-empty" }, "Your conversations will be here.");
  }

  let drawing = false;
  /** Draw the lines that are seen, and those near; every other is taken out of the page. */
  function draw() {
    // Taking a field out of the page is the end of its editing, which would draw anew.
    if (drawing) return;
    drawing = true;
    const from = scroller.scrollTop - MARGIN;
    const to = scroller.scrollTop + scroller.clientHeight + MARGIN;
    const held = document.activeElement?.closest("li")?.dataset.key;
    const wanted = lines.filter((line) => (line.y + line.height > from && line.y < to) || line.key === held);
    const rows = wanted.map(rowOf);
    const keep = new Set(rows);
    for (const row of [...list.children]) if (!keep.has(/** @type {HTMLLIElement} */ (row))) row.remove();
    for (const [key, row] of drawn) if (!keep.has(row)) drawn.delete(key);
    rows.forEach((row, at) => {
      row.style.setProperty("--y", `${wanted[at].y}px`);
      if (list.children[at] !== row) list.insertBefore(row, list.children[at] ?? null);
    });
    drawing = false;
  }

  /** @param {Line} line */
  function rowOf(line) {
    const searched = line.one?.snippet ? search.value : "";
    const sign = line.one ? JSON.stringify([line.one.title, line.one.snippet, searched, line.one.pinned, renaming === line.key, current === `/c/${line.key}`]) : "";
    if (line.one) known.set(line.key, line.one);
    const before = drawn.get(line.key);
    if (before?.dataset.sign === sign) return before;
    const made = line.one ? conversationRow(line.one) : h("li", { class: "day" }, h("h2", null, line.day));
    made.dataset.key = line.key;
    made.dataset.sign = sign;
    drawn.set(line.key, made);
    return made;
  }

  /** @param {Conversation} one */
  function conversationRow(one) {
    if (renaming === one.id) return h("li", { class: "conversation" }, renamed(one));
    const now = () => known.get(one.id) ?? one;
    const actions = menu(`Actions for ${titleOf(one)}`, () => [
      { label: "Rename", icon: "edit", press: () => { renaming = one.id; draw(); list.querySelector("input")?.select(); } },
      { label: now().pinned ? "Unpin" : "Pin", icon: "pin", press: async () => { await change(now(), { pinned: !now().pinned }); load(true); } },
      { label: now().archived ? "Take out of the archive" : "Archive", icon: "archive", press: () => archive(now()) },
      { label: "Delete", icon: "trash", bad: true, press: () => remove(now()) },
    ]);
    return h("li", { class: one.snippet ? "conversation hit" : "conversation" },
      h("a", {
        href: `/c/${one.id}`, "aria-current": current === `/c/${one.id}` ? "page" : null,
        ondblclick: () => { renaming = one.id; draw(); list.querySelector("input")?.select(); },
      }, h("span", { class: "name" }, titleOf(one)), one.snippet ? h("span", { class: "snippet" }, marked(one.snippet, search.value)) : null),
      actions);
  }

  /** @param {Conversation} one */
  function renamed(one) {
    let open = true;
    const finish = (/** @type {boolean} */ keep) => {
      if (!open) return;
      open = false;
      const title = field.value.trim();
      renaming = "";
      if (keep && title && title !== one.title) {
        tell("conversation", { ...one, title });
        change(one, { title });
      } else draw();
      drawn.get(one.id)?.querySelector("a")?.focus();
    };
    const field = h("input", {
      class: "field", value: titleOf(one), maxlength: "255", "aria-label": "Title of the conversation",
      onblur: () => finish(true),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter") finish(true);
        if (event.key === "Escape") { event.preventDefault(); finish(false); }
      },
    });
    return field;
  }

  on("conversations", (told) => (told === "known" ? arrange() : load(true)));
  on("conversation", (changed) => {
    all = all.map((one) => (one.id === changed.id ? { ...one, ...changed } : one));
    arrange();
  });
  let version = "";
  on("changes", (told) => {
    if (told.conversations !== version) load(true);
    version = told.conversations;
  });
  on("user", () => load());
  on("search", () => { tell("menu"); search.focus(); search.select(); });
  on("route", (path) => {
    current = path;
    for (const one of root.querySelectorAll(".link")) {
      if (one.getAttribute("data-path") === path) one.setAttribute("aria-current", "page");
      else one.removeAttribute("aria-current");
    }
    draw();
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step || !(event.target instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    const links = [...list.querySelectorAll("a")];
    links[links.indexOf(event.target) + step]?.focus();
  });
  new ResizeObserver(() => draw()).observe(scroller);
  load();
}
