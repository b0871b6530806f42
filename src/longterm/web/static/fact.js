// @ts-check
/** One fact: its card, the editor in its place, and its history. */

import { ago, del, fill, get, h, icon, iconButton, menu, put, session, skeleton, time, toast, undoable } from "./lib.js";
import { failed, pushButton, wordButton } from "./pieces.js";

/**
 * @typedef {object} Fact
 * @property {string} id
 * @property {number} version
 * @property {string} type
 * @property {string | null} category
 * @property {string | null} key
 * @property {string} content
 * @property {number} confidence
 * @property {number} importance
 * @property {boolean} pinned
 * @property {boolean} archived
 * @property {string} origin
 * @property {string} said_at
 * @property {string} valid_from
 * @property {string | null} valid_to
 * @property {string | null} closed
 * @property {number} said_count
 * @property {string | null} source_conversation_id
 * @property {number | null} source_message_id
 * @property {boolean} source_gone
 * @property {number} tokens
 * @property {number} access_count
 * @property {string | null} last_accessed_at
 */

/**
 * @typedef {object} Hands What a card asks of its list.
 * @property {(fact: Fact) => void} changed it is like this now
 * @property {(id: string, gone: boolean) => void} gone hide it, or show it again
 * @property {(moment: string) => void} asOf show what was known then
 * @property {() => void} stale read the list again
 */

/** @type {Record<string, string>} */
const ORIGINS = {
  person: "edited by you", agent: "by an agent", api: "by a program", import: "imported",
  model: "understood by the model", rules: "understood by rules",
};
/** @type {Record<string, string>} */
const ENDS = {
  replaced: "replaced", ended: "no longer true", deactivated: "switched off", deleted: "deleted",
  evicted: "made room", rebuilt: "learned anew",
};

/**
 * Where something was said, as a path of the page.
 * @param {string | null} conversation @param {number | string | null | undefined} message
 */
export function whereFrom(conversation, message) {
  return conversation && message ? `/c/${conversation}?m=${message}` : null;
}

/** @param {string} source */
export function sourceLink(source) {
  return h("a", { href: source, class: "icon-button", "aria-label": "Where from", title: "Where from", "data-act": "source" },
    icon("link"));
}

/** In the place of a link, where the message or conversation is not there any more. */
const sourceGone = () => h("span", { class: "chip", title: "The message that it comes from was deleted or expired." }, "source gone");

/** @param {string} text */
export const inWords = (text) => text.replace(/:.*/, "").replaceAll("_", " ");
/** @param {number} count */
const times = (count) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);
/** @param {string} moment */
const day = (moment) => new Date(moment).toLocaleDateString(undefined, { dateStyle: "medium" });

/** Change a fact as the person who looks at it. @param {string} id @param {Record<string, any>} changes @returns {Promise<Fact>} */
export const change = (id, changes) =>
  put(`/api/memories/${id}`, { user_id: session.userId, actor: "user", ...changes });

/** Delete a fact unless that is undone. @param {{id: string, content: string}} fact @param {(gone: boolean) => void} gone */
export function remove(fact, gone) {
  gone(true);
  const words = fact.content.length > 48 ? `${fact.content.slice(0, 46)}…` : fact.content;
  const act = () => del(`/api/memories/${fact.id}`, { keepalive: true }).catch((problem) => {
    if (problem.status === 404) return;
    gone(false);
    failed(problem);
  });
  undoable(`Deleted: ${words}`, act, () => gone(false));
}

/**
 * A field in the place of a text.
 * @param {string} text @param {string} label @param {(text: string) => Promise<any>} save @param {() => void} close
 */
export function editor(text, label, save, close) {
  const field = h("textarea", { class: "field", dir: "auto", "aria-label": label, rows: 2, maxlength: 500, value: text });
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", { class: "editor" }, field, problem, h("div", { class: "editor-foot" },
    h("span", { class: "soft tiny" }, "Ctrl + Enter saves"),
    pushButton("Cancel", close),
    h("button", { type: "submit", class: "button slim primary" }, "Save")));
  const submit = async () => {
    problem.textContent = field.value.trim() ? "" : "A memory needs a few words.";
    if (problem.textContent) return field.focus();
    form.setAttribute("aria-busy", "true");
    try {
      await save(field.value.trim());
      close();
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    }
    form.removeAttribute("aria-busy");
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); void submit(); });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); close(); }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void submit(); }
  });
  queueMicrotask(() => { field.focus(); field.select(); });
  return form;
}

/** How sure a fact is, as a bar and in words. @param {number} share */
function sureness(share) {
  const percent = Math.round(share * 100);
  const bar = h("span", { class: "share", "aria-hidden": "true" });
  bar.style.setProperty("--share", `${percent}%`);
  return h("span", { class: "sure", title: "How sure Longterm is" }, bar, `${percent} % sure`);
}

/**
 * The card of a fact; `show` brings it up to date and leaves an open editor alone.
 * @param {Fact} first @param {Hands} hands @param {{fixed: boolean}} options
 */
export function factCard(first, hands, { fixed }) {
  let fact = first;
  let stamp = "";
  let editing = false;
  const body = h("div", { class: "fact-body" });
  const past = h("div", { class: "past", hidden: true });
  const card = h("article", { class: "fact card", "data-id": fact.id }, body, past);

  /** @param {Promise<Fact>} asked */
  const told = (asked) => asked.then(hands.changed, (problem) => { failed(problem); hands.stale(); });

  function edit() {
    editing = true;
    const close = () => { editing = false; draw(); focus("edit"); };
    fill(body, editor(fact.content, "What is true", async (content) => {
      if (content !== fact.content) hands.changed(await change(fact.id, { content }));
    }, close));
  }

  function pin() {
    const pinned = !fact.pinned;
    hands.changed({ ...fact, pinned });
    void told(change(fact.id, { pinned }));
  }

  /** @param {boolean} archived */
  async function archive(archived) {
    await told(change(fact.id, { archived }));
    if (archived) toast("Archived: it is kept, and used no more.", { action: "Undo", press: () => void archive(false) });
  }

  async function history() {
    past.hidden = !past.hidden;
    draw();
    focus("history");
    if (!past.hidden) await timeline(past, fact, hands);
  }

  /** @param {string} act */
  const focus = (act) => /** @type {HTMLElement | null} */ (body.querySelector(`[data-act="${act}"]`))?.focus();

  function actions() {
    const source = whereFrom(fact.source_conversation_id, fact.source_message_id);
    return h("div", { class: "fact-actions" },
      fact.source_gone ? sourceGone() : source && sourceLink(source),
      iconButton("clock", "History", () => void history(), { "aria-expanded": String(!past.hidden), "data-act": "history" }),
      !fixed && iconButton("edit", "Edit", edit, { "data-act": "edit" }),
      !fixed && iconButton("pin", "Pin", pin, { "aria-pressed": String(fact.pinned), "data-act": "pin" }),
      !fixed && menu("More", () => [
        fact.archived
          ? { label: "Bring back", icon: "archive", press: () => void archive(false) }
          : { label: "Archive", icon: "archive", press: () => void archive(true) },
        { label: "Delete", icon: "trash", bad: true, press: () => remove(fact, (gone) => hands.gone(fact.id, gone)) },
      ]));
  }

  function draw() {
    const category = fact.category && fact.category !== fact.type ? fact.category : null;
    fill(body,
      fact.key && h("p", { class: "fact-key" }, inWords(fact.key)),
      h("p", { class: "fact-text" }, fact.content),
      h("div", { class: "fact-foot" },
        h("p", { class: "fact-meta" },
          category && h("span", { class: "chip" }, category),
          fact.archived && h("span", { class: "chip warn" }, "archived"),
          sureness(fact.confidence),
          h("span", null, `said ${times(fact.said_count)}`),
          h("span", { title: `Used ${times(fact.access_count)}` },
            fact.last_accessed_at ? `used ${ago(fact.last_accessed_at)}` : "not used yet")),
        actions()));
  }

  /** @param {Fact} now @param {string} news */
  function show(now, news = "") {
    if (card.dataset.news !== news) card.dataset.news = news;
    if (now === fact && stamp) return;
    const next = JSON.stringify(now);
    if (next === stamp) return;
    [fact, stamp] = [now, next];
    if (editing) return;
    const act = body.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.act : null;
    draw();
    if (act) focus(act);
    if (!past.hidden) void timeline(past, fact, hands);
  }

  show(first);
  return { card, show };
}

/** Show every version of a fact. @param {HTMLElement} root @param {Fact} fact @param {Hands} hands */
async function timeline(root, fact, hands) {
  if (!root.firstChild) fill(root, skeleton(2));
  try {
    /** @type {{items: Fact[]}} */
    const { items } = await get(`/api/memories/${fact.id}/history`);
    const points = items.toReversed().map((version) => point(version, hands));
    fill(root, h("h4", null, "History"), h("ol", { class: "timeline" }, points));
  } catch (problem) {
    fill(root, h("p", { class: "problem" }, /** @type {Error} */ (problem).message));
  }
}

/** One version in a timeline. @param {Fact} version @param {Hands} hands */
function point(version, hands) {
  const source = whereFrom(version.source_conversation_id, version.source_message_id);
  const until = version.valid_to ? `${day(version.valid_from)} – ${day(version.valid_to)}` : `since ${day(version.valid_from)}`;
  return h("li", { class: version.valid_to ? null : "now" },
    h("p", { class: "point-text" }, version.content),
    h("p", { class: "soft tiny" }, until, " · ", ORIGINS[version.origin] ?? version.origin,
      version.closed && ` · ${ENDS[version.closed] ?? version.closed}`, " · said ", time(version.said_at)),
    h("p", { class: "point-ways" },
      version.source_gone ? sourceGone() : source && h("a", { href: source, class: "text-button" }, "Where from"),
      version.valid_to && wordButton("All as of then", () => hands.asOf(version.valid_from))));
}
