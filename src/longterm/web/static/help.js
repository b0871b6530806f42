// @ts-check
/** What the keyboard can do. */

import { dialog, h } from "./lib.js";

const KEYS = [
  ["Ctrl K, ⌘ K or /", "Search conversations"],
  ["n", "New chat"],
  ["t", "Temporary chat"],
  ["c", "Write a message"],
  ["m", "Show or hide memory"],
  ["i", "Insight"],
  [",", "Settings"],
  ["?", "This help"],
  ["Enter", "Send; Shift Enter begins a new line"],
  ["Esc", "Stop the answer, cancel an edit, close what is open"],
  ["↑ in an empty message", "Edit your last message"],
];

let open = false;

/** Show the keys. */
export async function showHelp() {
  if (open) return;
  open = true;
  const box = h("input", {
    type: "checkbox",
    onchange: () => localStorage.setItem("longterm-keys", box.checked ? "on" : "off"),
  });
  box.checked = localStorage.getItem("longterm-keys") !== "off";
  await dialog("Keyboard", () => [
    h("dl", { class: "keys" }, KEYS.map(([keys, meaning]) => h("div", null, h("dt", null, h("kbd", null, keys)), h("dd", null, meaning)))),
    h("label", { class: "row small" }, box, "Single keys do something while nothing is being written"),
  ]);
  open = false;
}
