// @ts-check
/** The messages of a conversation: a page at a time, distant ones unloaded, without jumps. */

import { fill, get, h, iconButton } from "./lib.js";
import { messageView } from "./message.js";

/** @typedef {import("./message.js").View} View */
/** @typedef {import("./message.js").Message} Message */

const PAGE = 40;
/** How many messages are in the page at most. */
const MOST = 120;
/** How near to an end, in pixels, the next page is loaded. */
const NEAR = 1600;

/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: "long", day: "numeric", month: "long", year: "numeric" };

/**
 * @param {HTMLElement} scroller
 * @param {import("./message.js").Acts} acts
 */
export function messageList(scroller, acts) {
  /** @type {View[]} */ let views = [];
  /** @type {View | null} */ let coming = null;
  let conversation = "";
  let older = false;
  let newer = false;
  let busy = false;
  let stuck = true;
  let left = false;

  const list = h("div", { class: "messages" });
  const tail = h("div", { class: "tail" });
  const down = iconButton("arrow_down", "To the newest message", () => toEnd(), { class: "icon-button down", hidden: true });
  fill(scroller, list, tail);
  scroller.parentElement?.append(down);

  const path = () => `/api/conversations/${conversation}/messages`;
  const atEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
  scroller.addEventListener("scroll", () => {
    stuck = !newer && atEnd();
    down.hidden = stuck;
    more();
  }, { passive: true });
  // Who unfolds something wants to see its beginning.
  list.addEventListener("click", (event) => { if (event.target instanceof Element && event.target.closest("summary")) stuck = false; });
  // What wraps anew must not push the end out of sight of who reads there.
  const watch = new ResizeObserver(() => stick());
  watch.observe(list);
  watch.observe(scroller);

  const stick = () => { if (stuck) scroller.scrollTop = scroller.scrollHeight; };

  /** Change something above without moving what is seen. @param {View | undefined} anchor @param {() => void} change */
  function steadily(anchor, change) {
    const before = anchor?.root.getBoundingClientRect().top ?? 0;
    change();
    if (anchor?.root.isConnected) scroller.scrollTop += anchor.root.getBoundingClientRect().top - before;
  }

  /** @param {Message} message */
  const made = (message) => messageView(message, acts);

  /** Put the views into the page in their order, with a line where a day begins. */
  function lay() {
    let next = list.firstElementChild;
    let day = "";
    views.forEach((view, at) => {
      const moment = new Date(view.message.created_at || Date.now());
      const said = moment.toDateString();
      view.day.hidden = said === day;
      if (said !== day) view.day.textContent = moment.toLocaleDateString(undefined, DAY);
      day = said;
      view.set({ last: !newer && at === views.length - 1 });
      for (const part of [view.day, view.root]) {
        if (part === next) next = next.nextElementSibling;
        else list.insertBefore(part, next);
      }
    });
    while (next) {
      const gone = next;
      next = next.nextElementSibling;
      gone.remove();
    }
  }

  /** Load what comes near, and unload what is far. */
  async function more() {
    if (busy || left || !views.length || !conversation) return;
    const up = older && scroller.scrollTop < NEAR;
    const on = newer && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
    if (!up && !on) return;
    busy = true;
    try {
      const beside = up ? { before: views[0].message.id } : { after: views[views.length - 1].message.id };
      const page = await get(path(), { ...beside, limit: PAGE, render: "html" });
      if (left) return;
      const fresh = page.items.map(made);
      const anchor = views[up ? 0 : views.length - 1];
      steadily(anchor, () => {
        if (up) {
          older = page.next_cursor !== null;
          views = [...fresh, ...views];
          if (views.length > MOST && !coming) { views = views.slice(0, MOST); newer = true; }
        } else {
          newer = page.next_cursor !== null;
          views = [...views, ...fresh];
          if (views.length > MOST) { views = views.slice(-MOST); older = true; }
        }
        lay();
      });
    } catch {
      // Asked for again at the next scroll; the page says itself that the server is away.
    } finally {
      busy = false;
    }
    requestAnimationFrame(() => more());
  }

  /** Show a conversation at its end, or around a message. @param {string} id @param {string | null} message */
  async function open(id, message) {
    conversation = id;
    const page = await get(path(), { limit: PAGE, render: "html", around: message });
    if (left) return;
    views = page.items.map(made);
    older = page.next_cursor !== null;
    newer = Boolean(message && page.previous_cursor);
    lay();
    if (message) point(message);
    else { stuck = true; stick(); }
    more();
  }

  /** Bring a message into sight and mark it. @param {string} message */
  function point(message) {
    const found = views.find((view) => String(view.message.id) === message);
    if (!found) return void toEnd();
    stuck = false;
    found.root.scrollIntoView({ block: "center" });
    found.root.focus({ preventScroll: true });
    found.root.classList.add("found");
    setTimeout(() => found.root.classList.remove("found"), 4000);
    down.hidden = !newer && atEnd();
  }

  /** Go to a message, wherever it is. @param {string} message */
  async function jump(message) {
    if (views.some((view) => String(view.message.id) === message)) return point(message);
    await open(conversation, message);
  }

  /** Go to the newest message. */
  async function toEnd() {
    if (newer) await open(conversation, null);
    stuck = true;
    down.hidden = true;
    stick();
  }

  /** See what was said meanwhile: elsewhere, or by ourselves. */
  async function refresh() {
    if (newer || left || !conversation) return;
    const page = await get(path(), { limit: PAGE, render: "html" });
    if (left || newer) return;
    /** @type {Message[]} */ const items = page.items;
    const had = new Map(views.filter((view) => view.message.id !== null).map((view) => [view.message.id, view]));
    const first = items[0]?.id ?? Infinity;
    const kept = page.next_cursor === null ? [] : views.filter((view) => view.message.id !== null && view.message.id < /** @type {number} */ (first));
    const now = items.map((message) => {
      const view = had.get(message.id);
      if (view) { if (JSON.stringify(view.message) !== JSON.stringify(message) && view !== coming) view.update(message); }
      return view ?? made(message);
    });
    if (!kept.length) older = page.next_cursor !== null;
    views = [...kept, ...now];
    if (coming && !views.includes(coming)) views.push(coming);
    lay();
    stick();
  }

  /** Show a question that is on its way. @param {string} text */
  function ask(text) {
    views.push(made({ id: null, role: "user", content: text, status: "complete", created_at: new Date().toISOString() }));
    begin(null);
    stuck = true;
    stick();
  }

  /** Have a place for an answer: the one that is there in part, or a new one. @param {number | null} question */
  function begin(question) {
    note();
    const at = question === null ? -1 : views.findIndex((view) => view.message.id === question);
    const there = at < 0 ? undefined : views[at + 1];
    coming = there?.message.role === "assistant" ? there : made({ id: null, role: "assistant", content: "", status: "partial", created_at: new Date().toISOString() });
    if (coming !== there) views.push(coming);
    coming.set({ coming: true });
    lay();
    stick();
  }

  /** The question has its number now. @param {number | null} id */
  function asked(id) {
    const question = views.at(-2);
    if (question?.message.role === "user" && question.message.id === null) question.update({ ...question.message, id });
  }

  /** The answer is there, or will not come; null when even the question was not taken. @param {any} reply */
  function finish(reply) {
    const view = coming;
    coming = null;
    if (!view) return;
    view.set({ coming: false, lost: false });
    if (!reply || (reply.error && !reply.answer_id && !view.root.querySelector(".prose")?.textContent)) views = views.filter((one) => one !== view);
    else {
      view.update({
        ...view.message, id: reply.answer_id ?? null, content: reply.answer, status: reply.error ? "interrupted" : "complete",
        tool_calls: reply.tools?.length ? reply.tools : view.message.tool_calls, suggested_values: reply.options,
      });
    }
    if (!reply && views.at(-1)?.message.id === null) views.pop();
    lay();
    stick();
  }

  /** Say something below the last message. @param {import("./lib.js").Child} [told] */
  function note(told) {
    fill(tail, told);
    stick();
  }

  return {
    /** The conversation has its id now. @param {string} id */
    place: (id) => { conversation = id; },
    open, jump, toEnd, refresh, ask, asked, begin, finish, note,
    /** @param {{from: number, html: string[]}} told */
    blocks: (told) => { coming?.set({ lost: false }); coming?.blocks(told); stick(); },
    /** @param {any} use */
    tool: (use) => { coming?.tool(use); stick(); },
    lost: () => coming?.set({ lost: true }),
    /** The newest messages, as far as they are here. */
    get newest() { return views.map((view) => view.message); },
    /** Forget a message and what came after it, here. @param {number} id */
    cut: (id) => { views = views.filter((view) => view.message.id !== null && view.message.id < id); lay(); },
    editLast: () => views.findLast((view) => view.message.role === "user")?.edit(),
    leave: () => { left = true; watch.disconnect(); down.remove(); },
  };
}
