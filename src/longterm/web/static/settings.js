// @ts-check
/** Settings: who, how it looks, the models, what is kept, and this installation. */

import { mountKeys } from "./keys.js";
import { debounced, fill, get, h, icon, put, session, skeleton, tell, time, toast } from "./lib.js";
import { copyButton, counted, failed, pushButton } from "./pieces.js";
import { mountDemo, mountForget, mountTransfer } from "./transfer.js";

/** @typedef {import("./lib.js").Child} Child */

const WAYS = [["/status", "Status"], ["/metrics", "Metrics"], ["/openapi.json", "API description"]];

/** A part of the settings. @param {string} title @param {string} about @param {...Child} content */
const part = (title, about, ...content) => h("section", { class: "part", "aria-label": title },
  h("div", { class: "part-about" }, h("h2", null, title), h("p", { class: "soft small" }, about)),
  h("div", { class: "part-body" }, ...content));

/** Show something when it is read, or why it could not be. @param {HTMLElement} root @param {() => Promise<void>} read */
function loaded(root, read) {
  fill(root, skeleton(3));
  read().catch((problem) => fill(root, h("p", { class: "problem" }, problem.message)));
  return root;
}

/**
 * Show the settings.
 * @param {HTMLElement} root
 * @returns {() => void} ends it
 */
export function mountSettings(root) {
  const { scope, version } = session.me ?? {};
  const admin = scope === "admin";
  fill(root, h("div", { class: "settings" }, h("div", { class: "page-inside" },
    part("Who", "Whose memory this page shows.", who()),
    part("Appearance", "How this page looks, in this browser.", theme()),
    part("Language model", "It answers, and it learns more than rules do.", model()),
    part("Embedder", "It finds what was said by meaning.", embedder()),
    admin && part("Memory", "What holds for everybody of this tenant.", memory()),
    admin && part("Keys", "Whoever asks Longterm from elsewhere needs one.", mountKeys()),
    part("Import and export", "Your memory belongs to you: take it with you, or bring it here.", mountTransfer()),
    part("Demo", "A conversation over several days that shows what memory does.", mountDemo()),
    part("Forget", "Delete a user with everything that was said and learned.", mountForget()),
    part("About", "Longterm, on your own machine.",
      h("p", null, `Version ${version ?? "unknown"}`),
      h("ul", { class: "ways" }, WAYS.map(([path, label]) =>
        h("li", null, h("a", { href: path, target: "_blank", rel: "noopener" }, label))))))));
  return () => root.replaceChildren();
}

/* Who. */

function who() {
  const { user_id: fixed, scope, tenant_id: tenant, keyless } = session.me ?? {};
  const leave = session.key && pushButton("Use another key", () => { session.key = ""; location.reload(); });
  const allowed = keyless ? "no key needed on this machine" : `key of the scope ${scope}`;
  const now = h("p", { class: "now-user" }, icon("user"), h("strong", null, session.userId),
    h("span", { class: "soft small" }, `tenant ${tenant}, ${allowed}`));
  if (fixed) return h("div", { class: "stack" }, now, h("p", { class: "soft small" }, "This key belongs to one user."), leave);
  return h("div", { class: "stack" }, now, users(), scope === "admin" && tenants(), leave);
}

function users() {
  const label = "Find a user, or name a new one";
  const search = h("input", { type: "search", class: "field", placeholder: label, "aria-label": label, maxlength: 255,
    oninput: debounced(() => void find(), 150) });
  const list = h("ul", { class: "users", "aria-label": "Users" });
  let turn = 0;

  /** @param {string} id */
  const use = (id) => { session.userId = id; toast(`Now as ${id}.`); };

  async function find() {
    const mine = ++turn;
    const words = search.value.trim();
    const { items } = await get("/api/users", { search: words, limit: 8 }, { anonymous: true });
    if (mine !== turn) return;
    const there = items.some((/** @type {any} */ user) => user.id === words);
    fill(list, items.map((/** @type {any} */ user) => choice(user.id, user.id,
      `${counted(user.conversations, "conversation")} · ${counted(user.facts, "fact")}`,
      user.seen_at && [" · seen ", time(user.seen_at)])),
    words && !there && choice(words, `Go on as “${words}”`, "a new user"));
  }

  /** @param {string} id @param {string} title @param {...Child} about */
  function choice(id, title, ...about) {
    const now = id === session.userId ? "true" : null;
    return h("li", null, h("button", { type: "button", class: "user", "aria-current": now, onclick: () => use(id) },
      h("span", null, title), h("span", { class: "soft tiny" }, ...about)));
  }

  fill(list, skeleton(3));
  find().catch((problem) => fill(list, h("li", { class: "problem" }, problem.message)));
  return h("div", { class: "stack" }, search, list);
}

/** The tenants, where there are several to choose from. */
function tenants() {
  const root = h("div");
  get("/api/admin/tenants", {}, { anonymous: true }).then(({ items }) => {
    if (items.length < 2) return;
    const select = h("select", { class: "field", onchange: () => { session.tenant = select.value; location.reload(); } },
      items.map((/** @type {{tenant_id: number}} */ { tenant_id: id }) =>
        h("option", { value: id, selected: id === session.me?.tenant_id }, id === 0 ? "0, the system" : id)));
    fill(root, h("label", { class: "setting" }, h("span", null, "Tenant"), select));
  }, failed);
  return root;
}

/* Appearance. */

function theme() {
  const chosen = localStorage.getItem("longterm-theme") ?? "system";
  /** @param {string} name */
  const choose = (name) => { localStorage.setItem("longterm-theme", name); tell("theme", name); };
  return h("fieldset", { class: "choices" }, h("legend", { class: "hushed" }, "Theme"),
    [["light", "Light"], ["dark", "Dark"], ["system", "As the system"]].map(([name, label]) => h("label", { class: "choice" },
      h("input", { type: "radio", name: "theme", value: name, checked: name === chosen, onchange: () => choose(name) }), label)));
}

/* Models. */

/** @type {Record<string, [string, string]>} */
const STATES = {
  ready: ["good", "ready"],
  resting: ["warn", "resting after failures, tried again soon"],
  off: ["", "none configured"],
};

/** @param {{name: string, state: string}} provider */
function provider({ name, state }) {
  const [kind, label] = STATES[state] ?? ["", state];
  return h("p", { class: "provider" }, h("code", null, name), h("span", { class: `chip ${kind}` }, label));
}

/** Commands to copy. @param {[string, string][]} commands */
function commands(commands) {
  return h("dl", { class: "commands" }, commands.map(([label, command]) => h("div", null, h("dt", null, label),
    h("dd", null, h("code", null, command), copyButton(command, `Copy the command for ${label}`)))));
}

function model() {
  const told = session.me?.model ?? { name: "unknown", state: "off" };
  const ways = commands([
    ["Ollama, on this machine", "LONGTERM_LLM=ollama:llama3.2 longterm serve"],
    ["OpenAI", "LONGTERM_LLM=openai:gpt-5-mini OPENAI_API_KEY=… longterm serve"],
    ["Anthropic", "LONGTERM_LLM=anthropic:claude-haiku-4-5 ANTHROPIC_API_KEY=… longterm serve"],
    ["Any other with OpenAI’s API", "LONGTERM_LLM=openai-compatible:NAME LONGTERM_LLM_BASE_URL=https://… longterm serve"],
  ]);
  if (told.state === "off")
    return h("div", { class: "stack" }, provider(told),
      h("p", { class: "note" }, "Longterm works by rules now: it stores, learns and finds without a model, and answers ",
        "from memory. To have a model answer, start it with one of these:"), ways);
  return h("div", { class: "stack" }, provider(told), h("details", null, h("summary", null, "Use another one"), ways));
}

function embedder() {
  const told = session.me?.embedder ?? { name: "unknown", state: "off" };
  return h("div", { class: "stack" }, provider(told), h("details", null, h("summary", null, "Use another one"),
    h("p", { class: "soft small" }, "It is filled in beside the present one, which serves until all is there."),
    commands([
      ["On this machine, offline", "LONGTERM_EMBEDDER=local longterm serve"],
      ["Ollama", "LONGTERM_EMBEDDER=ollama:nomic-embed-text longterm serve"],
      ["OpenAI", "LONGTERM_EMBEDDER=openai:text-embedding-3-small OPENAI_API_KEY=… longterm serve"],
    ])));
}

/* Memory of the tenant. */

/** @type {Record<string, string>} what a tenant decides, as the server names it */
const KEPT = { conversation_retention: "Conversations are kept", session_retention: "Sessions are kept" };
/** @type {Record<string, string>} */
const BOUNDS = { model_calls_per_day: "Calls to models a day", model_tokens_per_day: "Tokens of models a day" };
const SPANS = [
  ["", "as the installation says"], ["keep", "for good"], ["24", "a day after the last message"],
  ["168", "a week after it"], ["720", "30 days after it"], ["8760", "a year after it"],
];

function memory() {
  const root = h("div");
  return loaded(root, async () => settings(root, await get("/api/admin/settings", {}, { anonymous: true })));
}

/** @param {HTMLElement} root @param {Record<string, any>} known */
function settings(root, known) {
  /** @param {Record<string, any>} changes */
  const save = async (changes) => {
    try {
      // What is left out would be left to the installation.
      Object.assign(known, await put("/api/admin/settings", { ...known, ...changes }, { anonymous: true }));
      if (session.me) session.me.memory = known.memory !== false;
      toast("Saved.");
    } catch (problem) {
      failed(problem);
    }
    settings(root, known);
  };
  const remember = h("input", { type: "checkbox", role: "switch", checked: known.memory !== false,
    onchange: () => void save({ memory: remember.checked }) });
  /** @param {Record<string, string>} labels @param {typeof kept | typeof bound} field */
  const fields = (labels, field) => Object.entries(labels).filter(([name]) => name in known).map(([name, label]) =>
    field(label, known[name], (value) => void save({ [name]: value })));
  fill(root, h("div", { class: "stack" },
    "memory" in known && h("label", { class: "row" }, remember,
      h("span", null, "Remember: learn from what is said, and use it for answers")),
    fields(KEPT, kept), fields(BOUNDS, bound)));
}

/** @param {string} label @param {number | string | null} now @param {(value: number | string | null) => void} save */
function kept(label, now, save) {
  const value = now === null ? "" : String(now);
  const spans = SPANS.some(([span]) => span === value) ? SPANS : [...SPANS, [value, `${value} hours after it`]];
  const chosen = () => (select.value === "" ? null : select.value === "keep" ? "keep" : Number(select.value));
  const select = h("select", { class: "field", onchange: () => save(chosen()) },
    spans.map(([span, words]) => h("option", { value: span, selected: span === value }, words)));
  return h("label", { class: "setting" }, h("span", null, label), select);
}

/** @param {string} label @param {number | null} now @param {(value: number | null) => void} save */
function bound(label, now, save) {
  const field = h("input", { type: "number", min: 0, class: "field", placeholder: "no bound of its own", value: now ?? "",
    onchange: () => save(field.value === "" ? null : Number(field.value)) });
  return h("label", { class: "setting" }, h("span", null, label), field);
}
