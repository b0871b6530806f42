// @ts-check
/** The header of a conversation: its title, how long it is kept, and what can be done with it. */

import { confirmed, del, fill, h, icon, menu, tell, toast } from "./lib.js";
import { archive, change, menuButton, panelButton, remove, titleOf } from "./sidebar.js";

/** @typedef {import("./sidebar.js").Conversation} Conversation */

/** @type {[string, number | "keep"][]} */
const KEPT = [
  ["Keep for good", "keep"],
  ["A day after the last message", 24],
  ["A week after the last message", 168],
  ["30 days after the last message", 720],
  ["A year after the last message", 8760],
];

/** @param {Conversation} one */
function untilWhen(one) {
  if (!one.expires_at) return "Kept";
  return `Until ${new Date(one.expires_at).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" })}`;
}

/** @param {HTMLElement} bar @param {Conversation} first */
export function mountHeader(bar, first) {
  let one = first;
  const title = h("h1", { class: "title" });
  const kept = menu("How long this conversation is kept", () => KEPT.map(([label, retention]) => ({
    label, icon: isNow(retention) ? "check" : "clock", press: () => change(one, { retention }),
  })), "clock");
  const keptText = h("span", { class: "kept-text" });
  kept.classList.add("kept");
  kept.querySelector("button")?.append(keptText);
  const more = menu("Actions for this conversation", () => [
    { label: "Rename", icon: "edit", press: edit },
    { label: one.pinned ? "Unpin" : "Pin", icon: "pin", press: async () => { await change(one, { pinned: !one.pinned }); tell("conversations"); } },
    { label: "Export as Markdown", icon: "download", press: () => exported("markdown") },
    { label: "Export as JSON", icon: "download", press: () => exported("json") },
    { label: one.archived ? "Take out of the archive" : "Archive", icon: "archive", press: () => archive(one) },
    { label: "Delete", icon: "trash", bad: true, press: () => remove(one) },
  ]);
  const demo = h("button", { type: "button", class: "chip demo", hidden: true, onclick: removeDemo }, icon("spark"), "Demo", h("span", null, "· remove"));
  demo.setAttribute("aria-label", "Demo · remove");
  fill(bar, menuButton(), title, demo, kept, more, panelButton());

  /** @param {number | "keep"} retention */
  const isNow = (retention) => (retention === "keep" ? !one.expires_at : one.retention_hours === retention);

  /** @param {Conversation} newer */
  function set(newer) {
    one = newer;
    document.title = `${titleOf(one)} · Longterm`;
    keptText.textContent = untilWhen(one);
    demo.hidden = !one.metadata?.demo;
    if (!title.querySelector("input")) show();
  }

  function show() {
    const button = { type: "button", class: "title-button", title: "Rename", onclick: edit };
    fill(title, h("button", button, titleOf(one)), one.archived ? h("span", { class: "chip" }, "archived") : null);
  }

  function edit() {
    let open = true;
    const finish = async (/** @type {boolean} */ keep) => {
      if (!open) return;
      open = false;
      const text = field.value.trim();
      if (keep && text && text !== one.title) one = (await change(one, { title: text })) ?? one;
      show();
      title.querySelector("button")?.focus();
    };
    const field = h("input", {
      class: "field", value: titleOf(one), maxlength: "255", "aria-label": "Title of the conversation",
      onblur: () => finish(true),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter") finish(true);
        if (event.key === "Escape") { event.preventDefault(); finish(false); }
      },
    });
    fill(title, field);
    field.select();
  }

  /** @param {"markdown" | "json"} form */
  async function exported(form) {
    try {
      await (await import("./export.js")).exportConversation(one, form);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { bad: true });
    }
  }

  async function removeDemo() {
    if (!(await confirmed("Remove the demo?", "Its conversation goes, and everything that was learned from it.", "Remove"))) return;
    try {
      await del("/api/demo");
      tell("conversations");
      tell("go", "/");
      toast("The demo is gone, with what was learned from it.");
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { bad: true });
    }
  }

  set(first);
  return { set };
}
