// @ts-check
/** A conversation as a file: Markdown to read, JSON to keep. */

import { get, h } from "./lib.js";
import { titleOf } from "./sidebar.js";

/** @param {import("./sidebar.js").Conversation} one @param {"markdown" | "json"} form */
export async function exportConversation(one, form) {
  const messages = await all(one.id);
  const text = form === "json" ? JSON.stringify({ conversation: one, messages }, null, 2) : markdown(one, messages);
  const url = URL.createObjectURL(new Blob([text], { type: form === "json" ? "application/json" : "text/markdown" }));
  const name = titleOf(one).replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "").slice(0, 60) || "conversation";
  h("a", { href: url, download: `${name}.${form === "json" ? "json" : "md"}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Every message, from the first. @param {string} id @returns {Promise<any[]>} */
async function all(id) {
  /** @type {any[]} */ let messages = [];
  for (let before; ;) {
    const page = await get(`/api/conversations/${id}/messages`, { limit: 1000, before });
    messages = [...page.items, ...messages];
    if (page.next_cursor === null || !page.items.length) return messages;
    before = page.items[0].id;
  }
}

/** @param {import("./sidebar.js").Conversation} one @param {any[]} messages */
function markdown(one, messages) {
  const said = messages.map((message) => `**${message.role === "user" ? (message.name ?? "You") : "Answer"}** · ${message.created_at}\n\n${message.content}\n`);
  return [`# ${titleOf(one)}\n`, ...said].join("\n");
}
