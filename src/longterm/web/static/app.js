// @ts-check
/** The frame of the page: routes, theme, drawers, the memory panel, and news from the server. */

import { mountChat } from "./chat.js";
import { empty, fill, get, h, iconButton, on, session, skeleton, tell } from "./lib.js";
import { menuButton, mountSidebar } from "./sidebar.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const sidebar = /** @type {HTMLElement} */ (document.getElementById("sidebar"));
const panel = /** @type {HTMLElement} */ (document.getElementById("panel"));
const backdrop = h("div", { class: "backdrop", hidden: true, onclick: () => closeDrawers() });
const narrow = matchMedia("(max-width: 760px)");
const medium = matchMedia("(max-width: 1180px)");

/** The views beside chat, loaded when they are first wanted. @type {Record<string, {title: string, mount: (root: HTMLElement) => Promise<() => void>}>} */
const VIEWS = {
  "/memory": { title: "Memory", mount: async (root) => (await import("./memory.js")).mountMemory(root, {}) },
  "/insight": { title: "Insight", mount: async (root) => (await import("./insight.js")).mountInsight(root) },
  "/settings": { title: "Settings", mount: async (root) => (await import("./settings.js")).mountSettings(root) },
};

/* Theme. */

/** @param {string} chosen light, dark or system */
function setTheme(chosen) {
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

/* Routes. */

/** @type {{path: string, leave: () => void, jump?: (messageId: string) => void}} */
let shown = { path: "", leave: () => {} };

/** Go somewhere; `quiet` changes the address of what is shown already. @param {string | {path: string, quiet?: boolean}} told */
function go(told) {
  const { path, quiet = false } = typeof told === "string" ? { path: told } : told;
  if (path !== location.pathname + location.search) history.pushState(null, "", path);
  closeDrawers();
  if (!quiet) return show();
  shown.path = location.pathname;
  tell("route", location.pathname);
}

/** Show what the address names. */
function show() {
  const { pathname, searchParams } = new URL(location.href);
  const message = searchParams.get("m");
  tell("route", pathname);
  if (pathname === shown.path && message && shown.jump) return shown.jump(message);
  shown.leave();
  const view = VIEWS[pathname];
  shown = { path: pathname, ...(view ? showView(view) : showChat(pathname, message, searchParams.has("temporary"))) };
  showPanel();
}

/** @param {string} pathname @param {string | null} message @param {boolean} temporary */
function showChat(pathname, message, temporary) {
  const id = /^\/c\/([\w-]+)$/.exec(pathname)?.[1] ?? null;
  if (!id) document.title = "Longterm";
  return mountChat(main, { id, message, temporary });
}

/** @param {{title: string, mount: (root: HTMLElement) => Promise<() => void>}} view */
function showView(view) {
  document.title = `${view.title} · Longterm`;
  const root = h("div", { class: "view" }, skeleton(6));
  fill(main, h("header", { class: "bar" }, menuButton(), h("h1", null, view.title)), root);
  main.className = "";
  let left = false;
  let unmount = () => {};
  mounted(root, view.mount).then((done) => (left ? done() : (unmount = done)));
  return { leave: () => { left = true; unmount(); } };
}

/** Load and mount a part of the page with its styles; tells so where it can't. @param {HTMLElement} root @param {(root: HTMLElement) => Promise<() => void>} mount */
async function mounted(root, mount) {
  try {
    await panelStyles();
    root.replaceChildren();
    return (await mount(root)) ?? (() => {});
  } catch (error) {
    fill(root, empty("retry", "This part could not be loaded", String(/** @type {Error} */ (error).message)));
    return () => {};
  }
}

/** @type {Promise<void> | null} */
let styles = null;
const panelStyles = () => (styles ??= new Promise((resolve) => {
  const done = () => resolve();
  document.head.append(h("link", { rel: "stylesheet", href: new URL("./panels.css", import.meta.url).href, onload: done, onerror: done }));
}));

/* The memory panel beside a conversation. */

let unmountPanel = () => {};
const wanted = () => localStorage.getItem("longterm-panel") === "open";

function showPanel() {
  const open = !VIEWS[location.pathname] && wanted() && !(medium.matches && panel.hidden && !panel.dataset.asked);
  delete panel.dataset.asked;
  if (open === !panel.hidden) return;
  panel.hidden = !open;
  unmountPanel();
  unmountPanel = () => {};
  tell("panel", open);
  if (!open) return panel.replaceChildren();
  const root = h("div", { class: "panel-body" }, skeleton(8));
  fill(panel,
    h("header", { class: "bar" }, h("h2", null, "Memory"),
      h("a", { class: "text-button", href: "/memory" }, "Open as a page"),
      iconButton("close", "Close memory", () => togglePanel())),
    root);
  let closed = false;
  unmountPanel = () => { closed = true; };
  mounted(root, async (at) => (await import("./memory.js")).mountMemory(at, { panel: true }))
    .then((done) => (closed ? done() : (unmountPanel = done)));
}

function togglePanel() {
  const open = panel.hidden;
  localStorage.setItem("longterm-panel", open ? "open" : "closed");
  if (open) panel.dataset.asked = "yes";
  showPanel();
  if (open && medium.matches) panel.querySelector("button")?.focus();
}

/* Drawers. */

function openMenu() {
  if (!narrow.matches) return;
  sidebar.classList.add("open");
  backdrop.hidden = false;
  main.inert = true;
  /** @type {HTMLElement | null} */ (sidebar.querySelector("a, button"))?.focus();
}

function closeDrawers() {
  if (!sidebar.classList.contains("open")) return;
  sidebar.classList.remove("open");
  backdrop.hidden = true;
  main.inert = false;
}

/* News: what changed on the server, asked for while somebody looks. */

/** @type {any} */
let known = null;
let failures = 0;
let timer = 0;

async function poll() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const told = await get("/api/changes");
    // The first one, too: something may have happened while the page was loading.
    if (JSON.stringify(told) !== JSON.stringify(known)) tell("changes", told);
    known = told;
    connected(true);
  } catch (error) {
    if (/** @type {any} */ (error).status === 401) return;
    connected(!(/** @type {any} */ (error).status === 0));
  }
  clearTimeout(timer);
  const soon = known?.learning > 0 || known?.answering?.length > 0;
  timer = window.setTimeout(poll, failures ? Math.min(1000 * 2 ** failures, 15000) : soon ? 500 : 2000);
}

/** Say so while the server does not answer. @param {boolean} well */
function connected(well) {
  if (!well && failures++ === 1) document.body.append(h("div", { class: "away", role: "status" }, "Longterm does not answer. Trying again…"));
  if (!well) return;
  if (failures) document.querySelector(".away")?.remove();
  if (failures > 1 && known) tell("changes", known);
  failures = 0;
}

/* Keys. */

const help = async () => (await import("./help.js")).showHelp();
/** @type {Record<string, () => void>} */
const KEYS = {
  "?": help,
  n: () => go("/"),
  t: () => go("/?temporary"),
  "/": () => tell("search"),
  c: () => tell("compose"),
  m: () => (VIEWS[location.pathname] ? go("/memory") : togglePanel()),
  i: () => go("/insight"),
  ",": () => go("/settings"),
};

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented) {
    if (medium.matches && !panel.hidden && panel.contains(document.activeElement)) togglePanel();
    return closeDrawers();
  }
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return tell("search");
  }
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable], dialog, .menu");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem("longterm-keys") === "off") return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

/* Links of the page itself are routes; those in messages are not. */
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.closest(".prose") || link.target || link.download || link.getAttribute("href")?.startsWith("#")) return;
  if (link.origin !== location.origin || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.pathname + link.search);
});

/* Begin. */

on("go", go);
on("menu", openMenu);
on("help", help);
on("theme", setTheme);
on("panel-toggle", togglePanel);
on("answered", () => poll());
on("user", () => {
  known = null;
  shown.leave();
  shown = { path: "", leave: () => {} };
  panel.hidden = true;
  if (location.pathname.startsWith("/c/")) history.replaceState(null, "", "/");
  show();
});
on("locked", async () => (await import("./locked.js")).showLocked());
addEventListener("popstate", show);
addEventListener("storage", (event) => { if (event.key === "longterm-theme") setTheme(event.newValue ?? "system"); });
document.addEventListener("visibilitychange", () => poll());
narrow.addEventListener("change", closeDrawers);

async function begin() {
  document.body.append(backdrop);
  try {
    session.me = await get("/api/me", {}, { anonymous: true });
  } catch (error) {
    if (/** @type {any} */ (error).status === 401) return;
    fill(main, empty("retry", "Longterm does not answer", /** @type {Error} */ (error).message),
      h("button", { type: "button", class: "button centred", onclick: () => location.reload() }, "Try again"));
    return;
  }
  mountSidebar(sidebar);
  show();
  timer = window.setTimeout(poll, 2000);
}

begin();
