// @ts-check
/** The other memories: episodes by conversation, and JSON beneath keys. */

import { del, empty, fill, get, h, iconButton, put, session, skeleton, time, undoable } from "./lib.js";
import { pushButton, unread } from "./pieces.js";

/** @typedef {{refresh: () => Promise<void>}} Store */

/**
 * Show what is read, and what went wrong with a way to try again.
 * @param {HTMLElement} root @param {() => Promise<void>} read @returns {Store}
 */
export function store(root, read) {
  const refresh = async () => {
    try {
      await read();
    } catch (problem) {
      fill(root, unread("This could not be read", problem, () => void refresh()));
    }
  };
  fill(root, skeleton(6));
  void refresh();
  return { refresh };
}

/** @param {string} from @param {string} to */
function days(from, to) {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).formatRange(new Date(from), new Date(to));
}

/** Show the episodes of each conversation. @param {HTMLElement} root @returns {Store} */
export function mountEpisodes(root) {
  return store(root, async () => {
    const found = h("div", { class: "stack" });
    const next = await episodes(found, undefined);
    if (!found.firstChild && !next)
      return fill(root, empty("clock", "No episodes yet",
        "When a conversation grows beyond 20 turns, its older turns are summed up here."));
    const more = h("button", { type: "button", class: "button", hidden: !next }, "Look further back");
    let cursor = next;
    more.addEventListener("click", async () => { cursor = await episodes(found, cursor); more.hidden = !cursor; });
    fill(root, found, more);
  });
}

/**
 * Add the episodes of one page of conversations; returns where the next begins.
 * @param {HTMLElement} found @param {string | undefined} cursor @returns {Promise<string | undefined>}
 */
async function episodes(found, cursor) {
  const page = await get("/api/conversations", { limit: 20, cursor, archived: "any" });
  const all = await Promise.all(page.items.map(async (/** @type {any} */ conversation) =>
    ({ conversation, items: (await get(`/api/conversations/${conversation.id}/episodes`)).items })));
  for (const { conversation, items } of all) {
    if (!items.length) continue;
    found.append(h("section", { class: "stack" },
      h("h3", { class: "group" }, h("a", { href: `/c/${conversation.id}` }, conversation.title ?? "Untitled"),
        h("span", { class: "soft" }, ` ${items.length}`)),
      items.toReversed().map(episode)));
  }
  return page.next_cursor ?? undefined;
}

/** @param {any} one */
function episode(one) {
  return h("article", { class: "card episode" },
    h("p", { class: "tiny soft" }, `Turns ${one.turn_start} to ${one.turn_end} · ${days(one.said_from, one.said_to)}`),
    h("p", null, one.summary),
    one.rolling && one.rolling !== one.summary
      && h("details", null, h("summary", null, "All until then, summed up"), h("p", null, one.rolling)));
}

/** Show what is kept beneath keys. @param {HTMLElement} root @returns {Store} */
export function mountKeyValues(root) {
  const path = () => `/api/users/${encodeURIComponent(session.userId)}/memory`;
  /** @param {string} key */
  const under = (key) => `${path()}/${key.split("/").map(encodeURIComponent).join("/")}`;
  /** @type {Set<string>} */
  const gone = new Set();
  const adding = h("div");
  const list = h("div", { class: "stack" });
  /** @param {string} key @param {any} value */
  const save = (key, value) => put(under(key), { value }, { anonymous: true });

  /** @param {any} one */
  function entry(one) {
    const text = JSON.stringify(one.value, null, 2);
    const body = h("div");
    const card = h("article", { class: "card keyvalue" }, h("header", null, h("h3", null, h("code", null, one.key)),
      iconButton("edit", `Edit ${one.key}`, () => fill(body, jsonEditor(one.key, text, save, show))),
      iconButton("trash", `Delete ${one.key}`, remove)), body, h("p", { class: "tiny soft" }, "set ", time(one.updated_at)));
    function show(saved = false) {
      fill(body, h("pre", { tabindex: 0, role: "group", "aria-label": `Value of ${one.key}` }, text));
      if (saved) void made.refresh();
    }
    function remove() {
      gone.add(one.key);
      card.hidden = true;
      const act = () => void del(under(one.key), { keepalive: true, anonymous: true }).finally(() => gone.delete(one.key));
      undoable(`Deleted: ${one.key}`, act, () => { gone.delete(one.key); card.hidden = false; });
    }
    show();
    return card;
  }

  const made = store(root, async () => {
    const { items } = await get(path(), {}, { anonymous: true });
    if (root.contains(list) && list.querySelector("form")) return;
    fill(list, items.filter((/** @type {any} */ one) => !gone.has(one.key)).map(entry));
    if (!list.firstChild)
      fill(list, empty("key", "No keys yet", "Applications keep settings and state here, as JSON beneath a key."));
    const close = (saved = false) => { fill(adding); if (saved) void made.refresh(); };
    const add = pushButton("Add a key", () => fill(adding, jsonEditor("", "{\n  \n}", save, close)));
    if (!root.contains(list)) fill(root, h("div", { class: "stack" }, adding, list, h("div", null, add)));
  });
  return made;
}

/** Why a text is not a JSON object, or nothing. @param {string} text */
function wrongWith(text) {
  try {
    const value = JSON.parse(text);
    const right = value && typeof value === "object" && !Array.isArray(value);
    return right ? "" : 'The value must be a JSON object, such as {"language": "en"}.';
  } catch (error) {
    return `Not JSON yet: ${/** @type {Error} */ (error).message}.`;
  }
}

/**
 * A form for a key and its JSON.
 * @param {string} key @param {string} text
 * @param {(key: string, value: any) => Promise<any>} save @param {(saved?: boolean) => void} close
 */
function jsonEditor(key, text, save, close) {
  const name = h("input", { class: "field", "aria-label": "Key", placeholder: "preferences",
    maxlength: 255, required: true, value: key });
  const field = h("textarea", { class: "field mono", "aria-label": key ? `JSON of ${key}` : "JSON",
    spellcheck: "false", rows: Math.min(16, text.split("\n").length + 1), value: text });
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { type: "submit", class: "button slim primary" }, "Save");
  const form = h("form", { class: "editor" }, !key && name, field, problem,
    h("div", { class: "editor-foot" }, pushButton("Cancel", () => close()), submit));
  field.addEventListener("input", () => {
    problem.textContent = wrongWith(field.value);
    field.setAttribute("aria-invalid", String(problem.textContent !== ""));
    submit.disabled = problem.textContent !== "";
  });
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await save(name.value.trim(), JSON.parse(field.value));
      close(true);
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    }
  });
  queueMicrotask(() => (key ? field : name).focus());
  return form;
}
