// @ts-check
/** What a user owns: taken along, brought here, forgotten for good; and the demo. */

import { ask, del, dialog, events, fill, h, icon, post, session, tell, toast } from "./lib.js";
import { copyButton, counted, download, failed, pushButton, wordButton } from "./pieces.js";

const here = () => `/api/users/${encodeURIComponent(session.userId)}`;

/**
 * A button that does something once at a time, and says what went wrong.
 * @param {string} label @param {import("./lib.js").IconName} name @param {() => Promise<void>} act
 */
function button(label, name, act) {
  const made = pushButton(label, async () => {
    made.disabled = true;
    await act().catch(failed);
    made.disabled = false;
  }, { name });
  return made;
}

/** Export and import. */
export function mountTransfer() {
  const outcome = h("div", { role: "status" });
  const chooser = h("input", { type: "file", hidden: true, accept: ".json,.jsonl,.zip,.txt,.gz", "aria-label": "File to import" });
  chooser.addEventListener("change", () => {
    const file = chooser.files?.[0];
    chooser.value = "";
    if (file) void take(file, outcome);
  });
  return h("div", { class: "stack" },
    h("div", { class: "row-of-buttons" },
      button("Export everything", "download", async () => {
        const answer = await ask("GET", `${here()}/export`, { anonymous: true });
        const named = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1];
        download(await answer.blob(), named ?? `longterm-${session.userId}.jsonl`);
      }),
      button("Import a file", "upload", async () => chooser.click())),
    chooser, h("p", { class: "soft small" },
      "An export of Longterm, or of another chat program. What is here already is not taken twice."), outcome);
}

/** Import a file and tell how far it is. @param {File} file @param {HTMLElement} root */
async function take(file, root) {
  const stop = new AbortController();
  const bar = h("progress", { "aria-label": "Import" });
  const line = h("p", { class: "small" }, `Reading ${file.name}…`);
  fill(root, h("div", { class: "note" }, line, bar, wordButton("Stop", () => stop.abort())));
  try {
    const answer = await ask("POST", `${here()}/import`, {
      raw: file, anonymous: true, signal: stop.signal, headers: { "Content-Type": file.type || "application/octet-stream" },
    });
    for await (const { kind, told } of events(answer)) {
      if (kind === "error") throw new Error(told.detail ?? "The import ended early.");
      if (kind === "done") return result(root, file.name, told);
      if (told.total) [bar.max, bar.value] = [told.total, told.done];
      const share = told.total ? `, ${Math.round((100 * told.done) / told.total)} %` : "";
      line.textContent = counted(told.messages, "message") + share;
    }
    throw new Error("The import ended early; what had come is here. Import the file again to go on.");
  } catch (problem) {
    const stopped = "Stopped. What had come is here; import the file again to go on.";
    fill(root, h("p", { class: "note bad" }, stop.signal.aborted ? stopped : /** @type {Error} */ (problem).message));
  }
  tell("conversations");
}

/** @param {HTMLElement} root @param {string} name @param {any} told */
function result(root, name, told) {
  tell("conversations");
  const skipped = told.skipped ? `, ${told.skipped.toLocaleString()} left out` : "";
  const problems = (told.problems ?? []).map((/** @type {any} */ each) => (typeof each === "string" ? each : JSON.stringify(each)));
  fill(root, h("div", { class: "note" },
    h("p", null, h("strong", null, `Imported ${name}`),
      `: ${counted(told.conversations, "conversation")}, ${counted(told.messages, "message")}${skipped}.`),
    lines(counted(problems.length, "problem"), problems, null)));
}

/** Load the demo, or take it away with what was learned from it. */
export function mountDemo() {
  return h("div", { class: "row-of-buttons" },
    button("Load the demo", "spark", async () => {
      const { id } = await post("/api/demo", { user_id: session.userId });
      tell("conversations");
      toast("The demo is there.", { action: "Open", press: () => tell("go", `/c/${id}`) });
    }),
    button("Remove the demo", "trash", async () => {
      await del("/api/demo");
      tell("conversations");
      toast("The demo is gone, with what was learned from it.");
    }));
}

/** Forget a user, with a receipt. */
export function mountForget() {
  const root = h("div", { class: "stack" });
  const receipt = h("div", { role: "status" });
  const ask = pushButton(`Forget ${session.userId}`, () => void confirm(receipt), { name: "trash", kind: "button slim bad" });
  fill(root, h("div", null, ask), receipt);
  return root;
}

/** Ask for the name of the user, then forget. @param {HTMLElement} receipt */
function confirm(receipt) {
  const user = session.userId;
  const problem = h("p", { class: "problem", role: "alert" });
  const field = h("input", { class: "field", "aria-label": "The name of the user", autofocus: true, autocomplete: "off",
    spellcheck: "false", oninput: () => { yes.disabled = field.value !== user; } });
  const yes = h("button", { type: "submit", class: "button bad", disabled: true }, "Forget for good");
  return dialog(`Forget ${user}?`, (close) => {
    const form = h("form", { class: "stack" },
      h("p", null, "All conversations, messages, facts, episodes, places and key-value memory of this user are deleted, ",
        "also from search. This can't be undone."),
      h("label", { class: "stack" }, h("span", { class: "small" }, "Type ", h("strong", null, user), " to go on."), field), problem,
      h("div", { class: "editor-foot" }, h("button", { type: "button", class: "button", onclick: close }, "Cancel"), yes));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      yes.disabled = true;
      try {
        show(receipt, user, await del(here(), { anonymous: true }));
        tell("conversations");
        close();
      } catch (error) {
        problem.textContent = /** @type {Error} */ (error).message;
        yes.disabled = false;
      }
    });
    return [form];
  }, "small");
}

/** @typedef {{id: string, at: string, counts: Record<string, number>, vacuum?: string[], remains?: string[]}} Receipt */

/** @param {HTMLElement} root @param {string} user @param {Receipt} told */
function show(root, user, told) {
  const counts = Object.entries(told.counts).filter(([, count]) => count > 0);
  const save = () => download(new Blob([JSON.stringify(told, null, 2)], { type: "application/json" }), `forgotten-${told.id}.json`);
  fill(root, h("div", { class: "note receipt" },
    h("p", null, h("strong", null, `${user} is forgotten.`), counts.length ? "" : " There was nothing."),
    counts.length > 0 && h("table", null, h("caption", { class: "hushed" }, "What was deleted"),
      h("tbody", null, counts.map(([name, count]) => h("tr", null, h("th", { scope: "row" }, name.replaceAll("_", " ")),
        h("td", { class: "number" }, count.toLocaleString()))))),
    lines("What is left to do outside", told.remains, null),
    lines("To free the room on the disk at once", told.vacuum, "Copy the statements"),
    h("button", { type: "button", class: "button slim", onclick: save }, icon("download"), "Download the receipt")));
}

/** Some lines, folded. @param {string} title @param {string[] | undefined} texts @param {string | null} copy */
function lines(title, texts, copy) {
  if (!texts?.length) return null;
  const items = texts.map((text) => h("li", null, copy ? h("code", null, text) : text));
  return h("details", null, h("summary", null, title), h("ul", { class: "small" }, items),
    copy && copyButton(texts.join("\n"), copy));
}
