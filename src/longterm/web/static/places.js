// @ts-check
/** Places that matter, with where they were spoken of: seen, corrected, deleted. */

import { whereFrom } from "./fact.js";
import { del, empty, fill, get, h, iconButton, post, session, tell, time, undoable } from "./lib.js";
import { failed, pushButton } from "./pieces.js";
import { store } from "./stores.js";

/** @typedef {{conversation_id: string, message_id: string, mentioned_at: string}} Mention */
/** @typedef {{place_id: string, place_name: string, notes: string | null, added_at: string, mentions: Mention[]}} Place */

/** Show the places. @param {HTMLElement} root @returns {import("./stores.js").Store} */
export function mountPlaces(root) {
  /** @type {Set<string>} */
  const gone = new Set();
  /** @type {Place[]} */
  let items = [];

  function draw() {
    const there = items.filter((one) => !gone.has(one.place_id));
    fill(root, there.length ? h("div", { class: "stack" }, there.map(card))
      : empty("place", "No places yet", "Places that matter, with where they were spoken of, are kept here."));
  }

  /** @param {Place} one */
  function card(one) {
    const body = h("article", { class: "card place" });
    const edit = iconButton("edit", `Edit ${one.place_name}`, () => fill(body, editor(one, save, show)));
    const show = () => { fill(body, seen(one, edit, iconButton("trash", `Delete ${one.place_name}`, remove))); edit.focus(); };
    /** @param {string} name @param {string} notes */
    async function save(name, notes) {
      await post("/api/places", { user_id: session.userId, place_id: one.place_id, place_name: name, notes, actor: "user" });
      [one.place_name, one.notes] = [name, notes || null];
      edit.setAttribute("aria-label", `Edit ${name}`);
      tell("memory-changed");
    }
    function remove() {
      const hide = (/** @type {boolean} */ away) => { away ? gone.add(one.place_id) : gone.delete(one.place_id); draw(); };
      const path = `/api/places/${one.place_id.split("/").map(encodeURIComponent).join("/")}`;
      const act = () => void del(path, { keepalive: true }).catch((problem) => {
        if (problem.status === 404) return;
        hide(false);
        failed(problem);
      });
      hide(true);
      // The button is gone; whoever works by keyboard goes on at the next one.
      /** @type {HTMLElement | null} */ (root.querySelector("button") ?? document.querySelector("[role=tab][aria-selected=true]"))?.focus();
      undoable(`Deleted: ${one.place_name}`, act, () => hide(false));
    }
    fill(body, seen(one, edit, iconButton("trash", `Delete ${one.place_name}`, remove)));
    return body;
  }

  return store(root, async () => {
    const told = await get("/api/places");
    // What somebody is writing stays; what came meanwhile is there when it is read again.
    if (root.querySelector("form")) return;
    items = told.items;
    draw();
  });
}

/** @param {Place} one @param {...HTMLElement} acts */
function seen(one, ...acts) {
  return [h("header", null, h("h3", null, one.place_name), acts),
    one.notes && h("p", null, one.notes),
    h("p", { class: "tiny soft" }, h("code", null, one.place_id), " · known ", time(one.added_at)),
    one.mentions.length > 0 && h("details", null,
      h("summary", null, one.mentions.length === 1 ? "Spoken of once" : `Spoken of ${one.mentions.length} times`),
      h("ul", { class: "mentions" }, one.mentions.toReversed().map((mention) => h("li", null, mentioned(mention)))))];
}

/** A mention; one in another system has no page here. @param {Mention} mention */
function mentioned(mention) {
  const here = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(mention.conversation_id) && /^\d+$/.test(mention.message_id);
  const to = here ? whereFrom(mention.conversation_id, mention.message_id) : null;
  return to ? h("a", { href: to, class: "text-button" }, "Go to the message, ", time(mention.mentioned_at))
    : h("span", { class: "small" }, `${mention.conversation_id}, ${mention.message_id}, `, time(mention.mentioned_at));
}

/**
 * A form in the place of a place.
 * @param {Place} one @param {(name: string, notes: string) => Promise<void>} save @param {() => void} close
 */
function editor(one, save, close) {
  const name = h("input", { class: "field", "aria-label": "Name of the place", maxlength: 255, required: true, value: one.place_name });
  const notes = h("textarea", { class: "field", "aria-label": "Notes", placeholder: "Why it matters", rows: 2, maxlength: 500, value: one.notes ?? "" });
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", { class: "editor" }, name, notes, problem, h("div", { class: "editor-foot" },
    pushButton("Cancel", close), h("button", { type: "submit", class: "button slim primary" }, "Save")));
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await save(name.value.trim(), notes.value.trim());
      close();
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    }
  });
  queueMicrotask(() => { name.focus(); name.select(); });
  return form;
}
