// @ts-check
/** A conversation under way: the composer, sending, stopping, trying again. */

import { Problem, ask, del, empty, fill, get, h, icon, iconButton, on, post, session, skeleton, tell, toast } from "./lib.js";
import { menuButton, panelButton } from "./sidebar.js";

/** @typedef {ReturnType<typeof import("./messages.js").messageList>} List */

/** Where what is being written is kept until it is sent. @param {string | null} id */
const draftKey = (id) => `longterm-draft-${session.userId}-${id ?? "new"}`;

const BEGINNINGS = ["What do you know about me?", "What did we talk about last?"];

/** Whether there was any conversation before; null until that is known. @type {boolean | null} */
let anyBefore = null;

/**
 * @param {HTMLElement} root
 * @param {{id: string | null, message: string | null, temporary: boolean}} what
 */
export function mountChat(root, { id, message, temporary }) {
  /** @type {List | null} */ let list = null;
  /** @type {ReturnType<typeof import("./header.js").mountHeader> | null} */ let header = null;
  /** The question that is being answered, as far as it has a number. @type {number | null} */ let question = null;
  let busy = false;
  let left = false;
  let over = new AbortController();

  const bar = h("header", { class: "bar" }, menuButton(), h("h1", { class: "title" }, temporary ? "Temporary chat" : id ? "" : "New chat"), panelButton());
  const scroller = h("section", { class: "scroller", tabindex: "0", "aria-label": "Messages" });
  const voice = h("div", { class: "hushed", role: "status", "aria-live": "polite" });
  const composer = makeComposer();
  fill(root, bar, h("div", { class: "stage" }, scroller), composer.root, voice);
  root.className = temporary ? "temporary" : "";

  /* Opening. */

  async function open() {
    fill(scroller, h("div", { class: "messages waiting" }, skeleton(8)));
    try {
      const asked = get(`/api/conversations/${id}`, { limit: 1 });
      asked.catch(() => {});
      await (await ready()).open(/** @type {string} */ (id), message);
      const conversation = await asked;
      if (left) return;
      await crown(conversation);
      resume(conversation);
    } catch (error) {
      if (left) return;
      const gone = error instanceof Problem && (error.status === 404 || error.status === 422);
      composer.root.hidden = gone;
      list?.leave();
      list = null;
      fill(bar, menuButton(), h("h1", { class: "title" }, "Longterm"), panelButton());
      fill(scroller, h("div", { class: "home-view" }, gone ? goneView() : empty("retry", "Not loaded", /** @type {Error} */ (error).message)));
    }
  }

  /** The list of messages, loaded when there is the first. @returns {Promise<List>} */
  async function ready() {
    const { messageList } = await import("./messages.js");
    list ??= messageList(scroller, { fixed: temporary, retry, edit: resend, pick: (text) => send(text) });
    return list;
  }

  /** @param {any} conversation */
  async function crown(conversation) {
    const { mountHeader } = await import("./header.js");
    if (left) return;
    if (header) header.set(conversation);
    else header = mountHeader(bar, conversation);
  }

  /** Go on listening where an answer is under way; offer another try where none came. @param {any} conversation */
  function resume(conversation) {
    if (busy || left || !list) return;
    if (conversation.answering) return void hear(conversation.answering, null);
    if (list.newest.at(-1)?.role === "user") unanswered("No answer came to this.");
    else list.note();
  }

  /** @param {string} why */
  function unanswered(why) {
    list?.note(h("div", { class: "unanswered", role: "group", "aria-label": "No answer" }, h("p", null, why),
      temporary ? null : h("button", { type: "button", class: "button", onclick: retry }, icon("retry"), "Try again")));
  }

  /* Sending. */

  /** @param {string} text */
  async function send(text) {
    if (busy || !text.trim()) return;
    busy = true;
    composer.set(true);
    try {
      if (!id && !temporary) await beginConversation();
      const made = await ready();
      await made.toEnd();
      made.ask(text);
    } catch (error) {
      return failed(text, error);
    }
    await hear(null, text);
  }

  async function beginConversation() {
    const conversation = await post("/api/conversations", { user_id: session.userId });
    id = conversation.id;
    (await ready()).place(conversation.id);
    await crown(conversation);
    localStorage.removeItem(draftKey(null));
    tell("go", { path: `/c/${id}`, quiet: true });
    tell("conversations");
  }

  /** Listen to the answer to a question that is asked now, or was before. @param {number | null} before @param {string | null} text */
  async function hear(before, text) {
    const made = await ready();
    const { follow, listen } = await import("./stream.js");
    const { signal } = (over = new AbortController());
    busy = true;
    question = before;
    composer.set(true);
    if (before !== null) made.begin(before);
    const body = { message: text, conversation_id: id, temporary };
    const begin = () => (before === null ? ask("POST", "/api/chat/stream", { query: { render: "html" }, body, signal }) : follow(before, 0, signal));
    try {
      const reply = await listen(begin, (kind, told) => heard(made, kind, told), signal, before);
      await ended(made, reply);
    } catch (error) {
      if (!left && !signal.aborted) failed(text ?? "", error);
    }
  }

  /** @param {List} made @param {string} kind @param {any} told */
  function heard(made, kind, told) {
    if (left) return;
    if (kind === "start") {
      question = told.message_id;
      if (temporary) id = told.conversation_id;
      made.asked(told.message_id);
      composer.sent();
    } else if (kind === "blocks") made.blocks(told);
    else if (kind === "tool") made.tool(told);
    else if (kind === "lost") made.lost();
  }

  /** @param {List} made @param {any} reply */
  async function ended(made, reply) {
    if (left) return;
    rest();
    made.finish(reply);
    voice.textContent = reply.error ? `The answer ended early: ${reply.error}` : `Answer: ${reply.answer.slice(0, 600)}`;
    if (reply.error && !reply.answer_id) unanswered(reply.error);
    if (temporary) return;
    tell("answered");
    await made.refresh().catch(() => {});
  }

  /** Nothing was sent, or nobody can tell: what was written is given back. @param {string} text @param {unknown} error */
  async function failed(text, error) {
    rest();
    list?.finish(null);
    toast(/** @type {Error} */ (error).message, { bad: true });
    await look().catch(() => {});
    const last = list?.newest.findLast((one) => one.role === "user");
    if (text && last?.content !== text) composer.restore(text);
  }

  function rest() {
    busy = false;
    question = null;
    composer.set(false);
  }

  async function stop() {
    if (question === null) {
      over.abort();
      list?.finish({ error: "The answer was stopped.", answer: scroller.querySelector(".message:last-child .prose")?.textContent ?? "" });
      return rest();
    }
    composer.stopping();
    try {
      await post(`/api/chat/stream/${question}/stop`, undefined);
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) toast(/** @type {Error} */ (error).message, { bad: true });
    }
  }

  /** Ask the last question again. */
  function retry() {
    const asked = list?.newest.findLast((one) => one.role === "user");
    if (asked) again(asked.id, asked.content);
  }

  /** @param {import("./message.js").View} view @param {string} text */
  function resend(view, text) { again(view.message.id, text); }

  /** Forget a question and what followed, and ask anew. @param {number | null} from @param {string} text */
  async function again(from, text) {
    if (busy) return;
    try {
      if (from !== null) {
        await del(`/api/conversations/${id}/messages/${from}`, { query: { and_later: true } });
        list?.cut(from);
      }
    } catch (error) {
      return void toast(/** @type {Error} */ (error).message, { bad: true });
    }
    await send(text);
  }

  /* News from elsewhere: another tab, the worker that made a title. */

  async function look() {
    if (busy || left || temporary || !id || !list) return;
    const conversation = await get(`/api/conversations/${id}`, { limit: 1 });
    await list.refresh();
    if (left) return;
    header?.set(conversation);
    resume(conversation);
  }

  /* The composer. */

  function makeComposer() {
    let restored = temporary ? "" : (localStorage.getItem(draftKey(id)) ?? "");
    const field = h("textarea", {
      rows: "1", dir: "auto", "aria-label": "Message", placeholder: temporary ? "Nothing of this is kept" : "Write a message", value: restored,
      oninput: () => { keep(); grow(); },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const touch = matchMedia("(pointer: coarse)").matches;
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !touch) { event.preventDefault(); submit(); }
        if (event.key === "Escape" && busy) { event.preventDefault(); stop(); }
        if (event.key === "ArrowUp" && !field.value && !busy && !temporary) { event.preventDefault(); list?.editLast(); }
      },
    });
    const button = h("button", { type: "submit", class: "send", "aria-label": "Send", title: "Send" }, icon("send"));
    const form = h("form", { class: "composer", "aria-label": "Write a message" }, hint(), h("div", { class: "box" }, field, button));
    form.addEventListener("submit", (event) => { event.preventDefault(); if (busy) stop(); else submit(); });
    form.addEventListener("click", (event) => { if (event.target instanceof Element && event.target.classList.contains("box")) field.focus(); });

    function submit() {
      const text = field.value.trim();
      if (!text || busy) return;
      field.value = "";
      grow();
      ready_();
      send(text);
    }
    function keep() {
      ready_();
      if (temporary) return;
      if (field.value.trim()) localStorage.setItem(draftKey(id), field.value);
      else localStorage.removeItem(draftKey(id));
    }
    function grow() {
      field.style.setProperty("height", "auto");
      field.style.setProperty("height", `${Math.min(field.scrollHeight, innerHeight * 0.4)}px`);
    }
    function ready_() { button.disabled = !busy && !field.value.trim(); }
    /** @param {boolean} on */
    function set(on) {
      fill(button, icon(on ? "stop" : "send"));
      button.setAttribute("aria-label", on ? "Stop" : "Send");
      button.title = on ? "Stop" : "Send";
      ready_();
    }
    ready_();
    return {
      root: form, field, grow, set,
      stopping: () => { button.disabled = true; },
      sent: () => { if (!field.value && !temporary) localStorage.removeItem(draftKey(id)); },
      /** @param {string} text */
      restore: (text) => { if (!field.value) { field.value = text; keep(); grow(); } },
    };
  }

  function hint() {
    if (session.me?.model?.state !== "off") return null;
    return h("p", { class: "hint" }, icon("spark"), h("span", null,
      "No language model is configured, so answers are what memory finds. Start Longterm with ", h("code", null, "LONGTERM_LLM=…"),
      " to change that, for example ", h("code", null, "ollama:qwen3"), "."));
  }

  /* Where nothing was said yet, or where nothing is. */

  const goneView = () => empty("search", "This conversation is not here",
    "It was deleted, it expired, or it belongs to somebody else. ", h("a", { href: "/" }, "Begin a new one"));

  function home() {
    if (id || left || list || anyBefore === null) return;
    fill(scroller, h("div", { class: "home-view" }, temporary ? temporaryHome() : anyBefore ? usualHome() : firstHome()));
  }

  const temporaryHome = () => empty("ghost", "A temporary chat",
    "It is held in memory while you talk, and nowhere else: no history, nothing learned, gone when you leave.");
  const usualHome = () => [
    h("h2", null, "What is on your mind?"),
    h("div", { class: "suggestions" }, BEGINNINGS.map((text) =>
      h("button", { type: "button", class: "chip", onclick: () => send(text) }, text))),
  ];

  function firstHome() {
    const load = h("button", { type: "button", class: "button", onclick: loadDemo }, icon("spark"), "Load a demo conversation");
    async function loadDemo() {
      load.disabled = true;
      load.lastChild && (load.lastChild.textContent = "Loading…");
      try {
        const made = await post("/api/demo", undefined);
        tell("conversations");
        tell("go", `/c/${made.conversation_id ?? made.id}`);
      } catch (error) {
        load.disabled = false;
        load.lastChild && (load.lastChild.textContent = "Load a demo conversation");
        toast(/** @type {Error} */ (error).message, { bad: true });
      }
    }
    return [h("h2", null, "A memory for your conversations"),
      h("p", { class: "soft" }, "Nothing is in it yet. Say something below, or look at an example first."),
      h("ul", { class: "steps" },
        step("send", "You talk", "Every message is kept, here and nowhere else."),
        step("brain", "It learns", "What matters becomes facts, each with the message it came from."),
        step("check", "You decide", "See what is remembered. Correct it, pin it, delete it.")),
      h("div", null, load)];
  }

  /** @param {import("./lib.js").IconName} name @param {string} title @param {string} text */
  const step = (name, title, text) => h("li", { class: "card" }, icon(name), h("h3", null, title), h("p", { class: "soft small" }, text));

  const heardOf = [
    on("listed", ({ any }) => { if (any !== anyBefore) { anyBefore = any; home(); } }),
    on("compose", () => composer.field.focus()),
    on("conversation", (changed) => { if (changed.id === id) header?.set(changed); }),
    on("changes", () => look().catch(() => {})),
  ];
  composer.grow();
  if (!matchMedia("(pointer: coarse)").matches && !message) composer.field.focus();
  if (id) open();
  else home();

  return {
    leave: () => { left = true; over.abort(); heardOf.forEach((stopHearing) => stopHearing()); list?.leave(); },
    jump: (/** @type {string} */ to) => void list?.jump(to),
  };
}
