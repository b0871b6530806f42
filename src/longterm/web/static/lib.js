// @ts-check
/** What every part of the page uses: elements, icons, events, messages to the user, the way to the server. */

/** @typedef {string | number | Node | null | undefined | false | any[]} Child */
/** @typedef {Record<string, any>} Props */

/**
 * Make an element. Properties that begin with `on` are listeners, `class`, `data-…`, `aria-…` and
 * other attributes are set as such; null, undefined and false leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Props | null} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value") /** @type {any} */ (made).value = value;
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? "" : String(value));
  }
  add(made, children);
  return made;
}

/** @param {Element} parent @param {Child[]} children */
function add(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(parent, child);
    else if (child !== null && child !== undefined && child !== false)
      parent.append(child instanceof Node ? child : String(child));
  }
}

/** Replace what an element holds. @param {Element} parent @param {...Child} children */
export function fill(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

const policy = /** @type {any} */ (window).trustedTypes?.createPolicy("longterm", {
  createHTML: (/** @type {string} */ html) => html,
});

/** The one place where HTML is put into the page: the server rendered and sanitised it. @param {Element} element @param {string} html */
export function setHtml(element, html) {
  element.innerHTML = policy ? policy.createHTML(html) : html;
}

/** The shapes of icons, drawn on 20 × 20 with a stroke of 1.6. */
const SHAPES = {
  archive: "M3.5 6.5h13v9a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1zM2.5 3.5h15v3h-15zM8 10h4",
  arrow_down: "M10 4v12M5 11l5 5 5-5",
  back: "M12 4l-6 6 6 6",
  brain: "M10 4.5a2.5 2.5 0 0 0-4.6 1.2A2.8 2.8 0 0 0 4 10.9 2.8 2.8 0 0 0 6 15a2.2 2.2 0 0 0 4 .6zM10 4.5a2.5 2.5 0 0 1 4.6 1.2 2.8 2.8 0 0 1 1.4 5.2A2.8 2.8 0 0 1 14 15a2.2 2.2 0 0 1-4 .6z",
  chart: "M3.5 16.5h13M6 13.5v-4M10 13.5v-8M14 13.5v-6",
  check: "M4 10.5l4 4 8-9",
  chevron: "M7 5l5 5-5 5",
  clock: "M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM10 6.5V10l2.5 2",
  close: "M5 5l10 10M15 5L5 15",
  copy: "M7 7h9v9H7zM4 13V4h9",
  download: "M10 3.5v9M6 9l4 4 4-4M4 16.5h12",
  edit: "M4 16l.8-3.6L13 4.2a1.4 1.4 0 0 1 2 0l.8.8a1.4 1.4 0 0 1 0 2L7.6 15.2zM11.5 5.7l2.8 2.8",
  ghost: "M4.5 16.5V9a5.5 5.5 0 0 1 11 0v7.5l-2.2-1.6-1.6 1.6-1.7-1.6-1.7 1.6-1.6-1.6zM8 9h.01M12 9h.01",
  help: "M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 8a2 2 0 1 1 2.8 1.8c-.5.3-.8.7-.8 1.2v.3M10 13.6h.01",
  key: "M12.5 3.5a4 4 0 1 1-3.3 6.2L3.5 15.4v1.1h2.6v-1.8h1.8v-1.8h1.6l1-1M13.5 6.5h.01",
  link: "M8.5 11.5a3 3 0 0 0 4.3 0l2.4-2.4a3 3 0 0 0-4.3-4.3l-.8.8M11.5 8.5a3 3 0 0 0-4.3 0l-2.4 2.4a3 3 0 0 0 4.3 4.3l.8-.8",
  menu: "M3.5 6h13M3.5 10h13M3.5 14h13",
  more: "M4.6 10h.8M9.6 10h.8M14.6 10h.8",
  pin: "M7.5 3.5h5l-.8 5 2.3 2.5H6l2.3-2.5zM10 11v5.5",
  place: "M10 17s5-4.6 5-8.5a5 5 0 0 0-10 0C5 12.4 10 17 10 17zM10 6.8a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
  plus: "M10 4v12M4 10h12",
  retry: "M15.5 8A6 6 0 1 0 16 11M15.8 4v4h-4",
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM13 13l3.5 3.5",
  send: "M10 16V4M5 9l5-5 5 5",
  settings: "M4 6h6M14 6h2M12 4v4M4 14h2M10 14h6M8 12v4M4 10h9M17 10h-1M14.5 8v4",
  spark: "M10 3l1.7 4.6L16.5 9.5l-4.8 1.8L10 16l-1.7-4.7L3.5 9.5l4.8-1.9z",
  stop: "M6 6h8v8H6z",
  tool: "M12.6 3.9a3.8 3.8 0 0 0-4.8 4.8l-4.3 4.3 3.5 3.5 4.3-4.3a3.8 3.8 0 0 0 4.8-4.8l-2.3 2.3-2.2-.7-.7-2.2z",
  trash: "M4 5.5h12M8 5.5v-2h4v2M5.5 5.5l.7 11h7.6l.7-11M8.5 8.5v5M11.5 8.5v5",
  upload: "M10 13.5v-9M6 8l4-4 4 4M4 16.5h12",
  user: "M10 3.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM4 16.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5",
};
/** @typedef {keyof typeof SHAPES} IconName */

const SVG = "http://www.w3.org/2000/svg";

/** Make an SVG element. @param {string} tag @param {Record<string, string | number>} [attributes] @param {...(Node | string)} children */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Draw an icon; what it means is said by its button. @param {IconName} name */
export function icon(name) {
  const drawn = svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" });
  drawn.append(svg("path", { d: SHAPES[name] }));
  return drawn;
}

/**
 * A button that shows an icon alone.
 * @param {IconName} name @param {string} label @param {(event: MouseEvent) => void} press @param {Props} [props]
 */
export function iconButton(name, label, press, props = {}) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick: press, ...props }, icon(name));
}

const bus = new EventTarget();

/** Hear of something; returns how to stop hearing. @param {string} name @param {(told: any) => void} listener */
export function on(name, listener) {
  const heard = (/** @type {Event} */ event) => listener(/** @type {CustomEvent} */ (event).detail);
  bus.addEventListener(name, heard);
  return () => bus.removeEventListener(name, heard);
}

/** Tell of something. @param {string} name @param {any} [told] */
export function tell(name, told) {
  bus.dispatchEvent(new CustomEvent(name, { detail: told }));
}

/**
 * Show a line at the bottom, with a button if there is something to do about it.
 * @param {string} text
 * @param {{action?: string, press?: () => void, seconds?: number, bad?: boolean}} [options]
 * @returns {() => void} takes it away
 */
export function toast(text, { action, press, seconds = 6, bad = false } = {}) {
  const line = h("div", { class: bad ? "toast bad" : "toast" }, h("span", null, text));
  const away = () => {
    clearTimeout(timer);
    line.remove();
  };
  if (action) line.append(h("button", { type: "button", class: "text-button", onclick: () => { away(); press?.(); } }, action));
  document.getElementById("toasts")?.append(line);
  const timer = setTimeout(away, seconds * 1000);
  return away;
}

/**
 * Do something after a while unless it is undone; done at once when the page goes away.
 * @param {string} text what is said meanwhile @param {() => void} act @param {() => void} undo
 */
export function undoable(text, act, undo) {
  let open = true;
  const finish = () => {
    if (!open) return;
    open = false;
    removeEventListener("pagehide", finish);
    clearTimeout(timer);
    act();
  };
  const timer = setTimeout(finish, 6000);
  addEventListener("pagehide", finish);
  toast(text, {
    action: "Undo",
    press: () => {
      if (!open) return;
      open = false;
      removeEventListener("pagehide", finish);
      clearTimeout(timer);
      undo();
    },
  });
}

/** @typedef {{label: string, icon?: IconName, press: () => void, bad?: boolean}} Choice */

/** A button that opens a menu of choices. @param {string} label @param {() => Choice[]} choices @param {IconName} [name] */
export function menu(label, choices, name = "more") {
  const list = h("div", { class: "menu", popover: "auto", role: "menu" });
  const button = iconButton(name, label, () => {
    fill(list, choices().map((choice) => h("button", {
      type: "button", role: "menuitem", class: choice.bad ? "bad" : null,
      onclick: () => { list.hidePopover(); choice.press(); },
    }, choice.icon ? icon(choice.icon) : null, choice.label)));
    list.togglePopover();
    const at = button.getBoundingClientRect();
    list.style.setProperty("--x", `${Math.max(8, Math.min(at.right - list.offsetWidth, innerWidth - list.offsetWidth - 8))}px`);
    list.style.setProperty("--y", `${at.bottom + list.offsetHeight + 8 > innerHeight ? at.top - list.offsetHeight - 4 : at.bottom + 4}px`);
    /** @type {HTMLElement | null} */ (list.querySelector("button"))?.focus();
  }, { "aria-haspopup": "menu" });
  list.addEventListener("keydown", (event) => moveFocus(event, list));
  return h("span", { class: "menu-holder" }, button, list);
}

/** Let arrow keys move among the buttons of a list. @param {KeyboardEvent} event @param {Element} list */
export function moveFocus(event, list) {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (!step) return;
  event.preventDefault();
  const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button, a[href]")]);
  const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  all[(at + step + all.length) % all.length]?.focus();
}

/**
 * Open a dialog; resolves when it is closed.
 * @param {string} title @param {(close: () => void) => Child[]} content @param {string} [kind] a class
 */
export function dialog(title, content, kind = "") {
  const box = h("dialog", { class: kind, "aria-label": title });
  const close = () => box.close();
  add(box, [h("header", null, h("h2", null, title), iconButton("close", "Close", close)), ...content(close)]);
  document.body.append(box);
  box.addEventListener("click", (event) => { if (event.target === box) close(); });
  return new Promise((resolve) => {
    box.addEventListener("close", () => { box.remove(); resolve(undefined); });
    box.showModal();
  });
}

/** Ask whether to go on. @param {string} title @param {string} text @param {string} yes @returns {Promise<boolean>} */
export async function confirmed(title, text, yes) {
  let answer = false;
  await dialog(title, (close) => [
    h("p", null, text),
    h("footer", null,
      h("button", { type: "button", class: "button", onclick: close }, "Cancel"),
      h("button", { type: "button", class: "button bad", onclick: () => { answer = true; close(); } }, yes)),
  ], "small");
  return answer;
}

/** What is shown where there is nothing yet. @param {IconName} name @param {string} title @param {...Child} text */
export function empty(name, title, ...text) {
  return h("div", { class: "empty" }, icon(name), h("h3", null, title), h("p", null, ...text));
}

/** Grey bars in the place of what is on its way. @param {number} [lines] */
export function skeleton(lines = 3) {
  return h("div", { class: "skeleton", "aria-hidden": "true" }, Array.from({ length: lines }, () => h("div")));
}

const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

/** Say how long ago something was. @param {string} moment */
export function ago(moment) {
  const seconds = (Date.parse(moment) - Date.now()) / 1000;
  for (const [unit, size] of UNITS) if (Math.abs(seconds) >= size) return AGO.format(Math.round(seconds / size), unit);
  return "just now";
}

/** A moment as an element, told in words. @param {string} moment */
export function time(moment) {
  return h("time", { datetime: moment, title: new Date(moment).toLocaleString() }, ago(moment));
}

/** Wait until somebody stopped typing. @param {(...given: any[]) => void} act @param {number} milliseconds */
export function debounced(act, milliseconds) {
  let timer = 0;
  return (/** @type {any[]} */ ...given) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => act(...given), milliseconds);
  };
}

/* The way to the server: who asks, for which user, and what came of it. */

/** What the server refused, in its own words. */
export class Problem extends Error {
  /** @param {number} status @param {string} detail */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** Who uses the page. The key is kept for this tab alone, and never in a URL. */
export const session = {
  /** @type {any} */ me: null,
  get key() { return sessionStorage.getItem("longterm-key") ?? ""; },
  set key(value) { value ? sessionStorage.setItem("longterm-key", value) : sessionStorage.removeItem("longterm-key"); },
  get tenant() { return sessionStorage.getItem("longterm-tenant") ?? ""; },
  set tenant(value) { value ? sessionStorage.setItem("longterm-tenant", value) : sessionStorage.removeItem("longterm-tenant"); },
  get userId() { return this.me?.user_id ?? localStorage.getItem("longterm-user") ?? "me"; },
  set userId(value) { localStorage.setItem("longterm-user", value); tell("user", value); },
};

/** @typedef {{query?: Record<string, any>, body?: any, raw?: BodyInit, headers?: Record<string, string>, signal?: AbortSignal, keepalive?: boolean, anonymous?: boolean}} Options */

/** Ask the server; the user is named in the query unless `anonymous`. @param {string} method @param {string} path @param {Options} [options] @returns {Promise<Response>} */
export async function ask(method, path, { query = {}, body, raw, headers = {}, signal, keepalive, anonymous } = {}) {
  const url = new URL(path, location.origin);
  if (!anonymous) url.searchParams.set("user_id", session.userId);
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, String(value));
  const sent = { ...headers };
  if (session.key) sent.Authorization = `Bearer ${session.key}`;
  if (session.tenant) sent["X-Longterm-Tenant"] = session.tenant;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(url, { method, headers: sent, body: body === undefined ? raw : JSON.stringify(body), signal, keepalive, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, "Longterm does not answer. It is tried again when you go on.");
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  if (answer.status === 401) tell("locked");
  throw new Problem(answer.status, told.detail ?? `The server answered ${answer.status}.`);
}

/** Ask for JSON. @param {string} path @param {Record<string, any>} [query] @param {Options} [options] @returns {Promise<any>} */
export const get = async (path, query, options) => (await ask("GET", path, { query, ...options })).json();
/** @param {string} path @param {any} body @param {Options} [options] @returns {Promise<any>} */
export const post = async (path, body, options) => json(await ask("POST", path, { body, ...options }));
/** @param {string} path @param {any} body @param {Options} [options] @returns {Promise<any>} */
export const put = async (path, body, options) => json(await ask("PUT", path, { body, ...options }));
/** @param {string} path @param {Options} [options] @returns {Promise<any>} */
export const del = async (path, options) => json(await ask("DELETE", path, options));

/** @param {Response} answer */
async function json(answer) {
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

/**
 * Yield server-sent events as they come.
 * @param {Response} answer
 * @returns {AsyncGenerator<{kind: string, told: any}>}
 */
export async function* events(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const kind = /^event: (.*)$/m.exec(part)?.[1] ?? "message";
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield { kind, told: JSON.parse(data) };
    }
  }
}
