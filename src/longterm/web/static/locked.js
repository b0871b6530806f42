// @ts-check
/** Asks for a key; it is kept for this tab alone. */

import { get, h, icon, session } from "./lib.js";

let open = false;

/** Ask until there is a key that is known. */
export function showLocked() {
  if (open) return;
  open = true;
  const field = h("input", {
    id: "key", class: "field", type: "password", autocomplete: "off", spellcheck: "false",
    placeholder: "lt_…", required: true, "aria-describedby": "key-problem",
  });
  const problem = h("p", { id: "key-problem", class: "problem small", role: "alert" });
  const button = h("button", { class: "button primary" }, "Open");
  const form = h("form", { class: "locked" },
    icon("key"),
    h("h1", null, "A key opens this memory"),
    h("p", { class: "soft" }, "This Longterm asks everybody for a key. Whoever runs it makes one with ",
      h("code", null, "longterm keys create NAME"), "."),
    h("label", { for: "key", class: "hushed" }, "Key"),
    h("div", { class: "locked-row" }, field, button),
    problem,
    h("p", { class: "soft small" }, "It is kept in this tab until you close it, and is never part of an address."));
  const box = h("dialog", { class: "whole", "aria-label": "A key is needed" }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    session.key = field.value.trim();
    try {
      await get("/api/me", {}, { anonymous: true });
      location.reload();
    } catch (error) {
      session.key = "";
      problem.textContent = /** @type {Error} */ (error).message;
      button.disabled = false;
      field.select();
    }
  });
  box.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(box);
  box.showModal();
  field.focus();
}
