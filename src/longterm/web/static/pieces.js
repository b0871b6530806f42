// @ts-check
/** What memory, insight and settings are made of: buttons, errors, files to save. */

import { h, icon, iconButton, toast } from "./lib.js";

/** Say what went wrong. @param {any} problem */
export const failed = (problem) => void toast(problem.message, { bad: true });

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** How long something took. @param {number} ms */
export function spent(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/**
 * A button with a label, and maybe an icon.
 * @param {string} label @param {() => void} press @param {{name?: import("./lib.js").IconName, kind?: string}} [look]
 */
export function pushButton(label, press, { name, kind = "button slim" } = {}) {
  return h("button", { type: "button", class: kind, onclick: press }, name && icon(name), label);
}

/** A button that is a word in a line. @param {string} label @param {() => void} press */
export const wordButton = (label, press) => pushButton(label, press, { kind: "text-button" });

/** What stands where something could not be read. @param {string} title @param {unknown} problem @param {() => void} again */
export function unread(title, problem, again) {
  return h("div", { class: "empty whole" }, h("p", null, h("strong", null, title)),
    h("p", null, /** @type {Error} */ (problem).message), pushButton("Try again", again, { kind: "button" }));
}

/** A button that copies a text. @param {string} text @param {string} label */
export function copyButton(text, label) {
  const done = () => void toast("Copied.");
  const not = () => void toast("This browser does not allow copying here.", { bad: true });
  return iconButton("copy", label, () => void navigator.clipboard.writeText(text).then(done, not));
}

/** Save something as a file; through memory, so that no key stands in a URL. @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
