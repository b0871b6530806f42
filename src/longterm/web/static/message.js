// @ts-check
/** One message: its words, tools, memories used, and what can be done with it. */

import { fill, h, icon, iconButton, setHtml, toast } from "./lib.js";

/**
 * @typedef {object} Message
 * @property {number | null} id null until it is stored
 * @property {string} role
 * @property {string} content
 * @property {string | null} [html] rendered and sanitised by the server
 * @property {string} status
 * @property {string} created_at
 * @property {any} [tool_calls]
 * @property {any} [suggested_values]
 * @property {any} [suggested_actions]
 * @property {any} [used]
 */
/**
 * What is done elsewhere.
 * @typedef {object} Acts
 * @property {boolean} fixed nothing is kept, so nothing can be asked again
 * @property {() => void} retry
 * @property {(view: View, text: string) => void} edit
 * @property {(text: string) => void} pick
 */
/**
 * @typedef {object} View
 * @property {Message} message
 * @property {HTMLElement} root
 * @property {HTMLElement} day the line above it, where a day begins
 * @property {(message: Message) => void} update
 * @property {(told: {from: number, html: string[]}) => void} blocks
 * @property {(use: any) => void} tool
 * @property {(state: {coming?: boolean, lost?: boolean, last?: boolean}) => void} set
 * @property {() => void} edit
 */

/** Copy, and show that it was done. @param {HTMLElement} button @param {() => string} text */
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text());
    button.replaceChildren(icon("check"));
    setTimeout(() => button.replaceChildren(icon("copy")), 1500);
  } catch {
    toast("This browser does not let the page copy.", { bad: true });
  }
}

/** @param {() => string} text @param {string} label */
function copyButton(text, label) {
  const button = iconButton("copy", label, () => copy(button, text));
  return button;
}

/** Hang a copy button on code, give tables a name, and let each block run its own way. @param {Element} root */
function dress(root) {
  for (const block of root.querySelectorAll("p, ul, ol, blockquote, table, h1, h2, h3, h4, h5, h6")) block.setAttribute("dir", "auto");
  for (const box of root.querySelectorAll(".code")) {
    const language = box.getAttribute("data-language") ?? "";
    box.prepend(h("div", { class: "code-bar" }, h("span", null, language), copyButton(() => box.querySelector("code")?.textContent ?? "", "Copy code")));
    box.querySelector("pre")?.setAttribute("aria-label", language ? `Code in ${language}` : "Code");
    box.querySelector("pre")?.setAttribute("role", "group");
  }
  for (const box of root.querySelectorAll(".table")) {
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Table");
  }
}

/** A tool that was called, folded. @param {any} call */
function toolLine(call) {
  const name = String(call?.name ?? call?.function?.name ?? "tool").replaceAll("_", " ");
  const given = call?.arguments ?? call?.function?.arguments ?? {};
  const failed = call?.result?.ok === false;
  const about = [given?.operation, given?.key ?? given?.category].filter((part) => typeof part === "string").join(" · ");
  return h("details", { class: "tool" },
    h("summary", null, icon("tool"), h("span", null, name), about ? h("span", { class: "soft" }, about) : null,
      failed ? h("span", { class: "chip warn" }, "refused") : null),
    h("div", { class: "code" }, h("pre", { tabindex: "0" }, JSON.stringify(call, null, 2))));
}

/** What a suggestion is called, and what it sends. @param {any} one @returns {[string, string]} */
function suggestion(one) {
  if (one === null || typeof one !== "object") return [String(one), String(one)];
  const label = String(one.label ?? one.title ?? one.name ?? one.text ?? one.value ?? "Choose");
  return [label, String(one.message ?? one.value ?? label)];
}

/** @param {any} given @returns {any[]} */
const listed = (given) => (Array.isArray(given) ? given : given === null || given === undefined ? [] : [given]);

/** Where the memories of an answer are shown, once somebody asks. @param {Message} message */
function usedLine(message) {
  const { count, milliseconds } = message.used;
  const root = h("div", { class: "used-body" });
  let mounted = false;
  return h("details", {
    class: "used",
    ontoggle: async () => {
      if (mounted || message.id === null) return;
      mounted = true;
      const { mountUsed } = await import("./used.js");
      mountUsed(root, message.id);
    },
  },
  h("summary", null, icon("chevron"), `${count === 1 ? "1 memory" : `${count || "No"} memories`} used`,
    typeof milliseconds !== "number" ? "" : milliseconds < 1000 ? ` · ${Math.round(milliseconds)} ms` : ` · ${(milliseconds / 1000).toFixed(1)} s`),
  root);
}

/** @param {Message} message @param {Acts} acts @returns {View} */
export function messageView(message, acts) {
  const mine = message.role === "user";
  const state = { coming: false, lost: false, last: false };
  /** @type {string[]} */ let known = [];
  const tools = h("div", { class: "tools" });
  const prose = h("div", { class: "prose" });
  const after = h("div", { class: "after" });
  const day = h("h2", { class: "day-line", hidden: true });
  const root = h("article", { class: mine ? "message mine" : "message answer", tabindex: "-1", "aria-label": mine ? "You" : "Answer" }, tools, prose, after);
  /** @type {View} */
  const view = { message, root, day, update, blocks, tool: (use) => tools.append(toolLine(use)), set, edit };

  function words() {
    known = [];
    if (typeof view.message.html === "string") {
      setHtml(prose, view.message.html);
      dress(prose);
    } else fill(prose, view.message.content ? h("p", { class: "plain", dir: "auto" }, view.message.content) : null);
  }

  /** @param {{from: number, html: string[]}} told */
  function blocks({ from, html }) {
    if (!known.length) prose.replaceChildren();
    while (prose.children.length > from + html.length) prose.lastElementChild?.remove();
    html.forEach((one, step) => {
      const at = from + step;
      if (known[at] === one && prose.children[at]) return;
      const block = prose.children[at] ?? prose.appendChild(h("div", { class: "block" }));
      setHtml(block, one);
      dress(block);
      known[at] = one;
    });
    known.length = from + html.length;
  }

  /** @param {Message} newer */
  function update(newer) {
    view.message = newer;
    root.id = newer.id === null ? "" : `m${newer.id}`;
    if (newer.created_at) root.dataset.at = newer.created_at;
    // Who is changing the words goes on with them; closing it draws what is known then.
    if (root.classList.contains("editing")) return;
    // What came in blocks stands already: drawn again, it would lose what is selected in it.
    if (!known.length || (typeof newer.html === "string" && newer.html !== known.join(""))) words();
    if (newer.tool_calls) fill(tools, listed(newer.tool_calls).map(toolLine));
    foot();
  }

  /** @param {{coming?: boolean, lost?: boolean, last?: boolean}} changed */
  function set(changed) {
    if (Object.entries(changed).every(([name, value]) => /** @type {any} */ (state)[name] === value)) return;
    Object.assign(state, changed);
    root.classList.toggle("coming", state.coming);
    root.classList.toggle("last", state.last);
    if (state.coming) root.setAttribute("aria-busy", "true");
    else root.removeAttribute("aria-busy");
    foot();
  }

  function foot() {
    if (root.classList.contains("editing")) return;
    if (state.coming) return fill(after, onItsWay());
    const broken = !mine && view.message.status !== "complete";
    const at = view.message.created_at ? new Date(view.message.created_at) : new Date();
    fill(after,
      broken ? interrupted() : null,
      state.last && !mine ? suggestions() : null,
      h("div", { class: "foot" },
        !mine && view.message.used ? usedLine(view.message) : null,
        h("div", { class: "acts" },
          h("time", { datetime: at.toISOString(), title: at.toLocaleString() }, at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })),
          copyButton(() => view.message.content, mine ? "Copy message" : "Copy answer"),
          mine && !acts.fixed ? iconButton("edit", "Edit and send again", edit) : null,
          !mine && state.last && !acts.fixed ? iconButton("retry", "Answer again", () => acts.retry()) : null)));
  }

  function onItsWay() {
    return h("div", { class: "thinking" }, h("i"), h("i"), h("i"), state.lost
      ? h("span", null, "The connection is lost. Trying again…")
      : h("span", { class: "hushed" }, "The answer is on its way"));
  }

  function interrupted() {
    const again = { type: "button", class: "text-button", onclick: () => acts.retry() };
    return h("p", { class: "broken" },
      h("span", { class: "chip warn" }, "interrupted"), "The answer did not come to its end.",
      state.last && !acts.fixed ? h("button", again, "Try again") : null);
  }

  function suggestions() {
    const all = [...listed(view.message.suggested_values), ...listed(view.message.suggested_actions)];
    return all.length ? h("div", { class: "suggestions", role: "group", "aria-label": "Suggestions" }, all.map((one) => {
      const [label, text] = suggestion(one);
      return h("button", { type: "button", class: "chip", onclick: () => acts.pick(text) }, label);
    })) : null;
  }

  /** Let the words be changed and sent again. */
  function edit() {
    const field = h("textarea", { class: "field", dir: "auto", "aria-label": "Edit the message", value: view.message.content });
    const close = () => { root.classList.remove("editing"); words(); foot(); };
    const send = () => { const text = field.value.trim(); if (text) { close(); acts.edit(view, text); } };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.preventDefault(); close(); root.querySelector("button")?.focus(); }
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
    });
    root.classList.add("editing");
    fill(prose, field);
    fill(after, h("div", { class: "edit-row" },
      h("p", { class: "soft small" }, "What was said after it is forgotten, also what was learned from it."),
      h("button", { type: "button", class: "button", onclick: close }, "Cancel"),
      h("button", { type: "button", class: "button primary", onclick: send }, "Send")));
    field.style.setProperty("height", `${Math.min(field.scrollHeight + 2, innerHeight * 0.4)}px`);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  update(message);
  return view;
}
