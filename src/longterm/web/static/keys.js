// @ts-check
/** Keys of the tenant: who has one, a new one that is shown once, and revoking. */

import { confirmed, del, empty, fill, get, h, iconButton, post, session, skeleton, time, toast } from "./lib.js";
import { copyButton, failed } from "./pieces.js";

/**
 * @typedef {{id: string, prefix: string, name: string, scope: string, user_id: string | null, created_at: string,
 *   last_used_at: string | null, revoked_at: string | null}} Key
 */

const SCOPES = [["app", "any user of this tenant"], ["user", "one user"], ["admin", "everything, also settings and keys"]];

/** Show the keys. */
export function mountKeys() {
  const list = h("div", null, skeleton(3));
  const issued = h("div", { role: "status" });

  async function read() {
    try {
      const { items } = await get("/api/admin/keys", {}, { anonymous: true });
      fill(list, items.length ? h("ul", { class: "key-list" }, items.toReversed().map(entry))
        : empty("key", "No keys yet", "Without one, only this machine may ask. From the first key on every request needs one."));
    } catch (problem) {
      fill(list, h("p", { class: "problem" }, /** @type {Error} */ (problem).message));
    }
  }

  /** @param {Key} key */
  function entry(key) {
    return h("li", { class: key.revoked_at ? "revoked" : null },
      h("div", null,
        h("p", null, h("strong", null, key.name), " ",
          h("span", { class: "chip" }, key.user_id ? `${key.scope} ${key.user_id}` : key.scope),
          key.revoked_at && h("span", { class: "chip bad" }, "revoked")),
        h("p", { class: "soft tiny" }, h("code", null, `${key.prefix}…`), " made ", time(key.created_at), ", ",
          key.last_used_at ? ["used ", time(key.last_used_at)] : "never used")),
      !key.revoked_at && iconButton("trash", `Revoke ${key.name}`, () => void revoke(key)));
  }

  /** @param {Key} key */
  async function revoke(key) {
    const text = "Whoever uses it is refused from the next request on. This can't be undone.";
    if (!(await confirmed(`Revoke “${key.name}”?`, text, "Revoke"))) return;
    await del(`/api/admin/keys/${key.id}`, { anonymous: true }).then(() => toast(`Revoked: ${key.name}.`), failed);
    await read();
  }

  /** @param {Key & {secret: string}} key */
  async function show(key) {
    const first = session.me?.keyless;
    fill(issued, h("div", { class: "note issued" },
      h("p", null, h("strong", null, `The key “${key.name}”`), " is shown this once. Keep it where keys are kept."),
      h("p", { class: "secret" }, h("code", null, key.secret), copyButton(key.secret, "Copy the key")),
      first && h("p", { class: "small" }, "From now on every request needs a key. This tab goes on with this one.")));
    if (first) {
      session.key = key.secret;
      session.me = await get("/api/me", {}, { anonymous: true });
    }
    await read();
  }

  void read();
  return h("div", { class: "stack" }, list, issued, newKey(show));
}

/** A form for a new key. @param {(key: any) => Promise<void>} show */
function newKey(show) {
  const usual = session.me?.keyless ? "admin" : "app";
  const name = h("input", { class: "field", required: true, maxlength: 255,
    placeholder: "What it is for", "aria-label": "What the key is for" });
  const scope = h("select", { class: "field", "aria-label": "What the key may do", onchange: () => chosen() },
    SCOPES.map(([value, label]) => h("option", { value, selected: value === usual }, label)));
  const user = h("input", { class: "field", maxlength: 255, placeholder: "Which user", "aria-label": "Which user", hidden: true });
  const problem = h("p", { class: "problem", role: "alert" });
  const button = h("button", { type: "submit", class: "button slim" }, "Create a key");
  const form = h("form", { class: "new-key" }, name, scope, user, button, problem,
    session.me?.keyless && h("p", { class: "soft tiny" },
      "From the first key on every request needs one, also this page. Begin with one for everything."));
  const chosen = () => { user.hidden = scope.value !== "user"; user.required = !user.hidden; };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    button.disabled = true;
    try {
      const whose = scope.value === "user" ? { user_id: user.value.trim() } : {};
      const wanted = { name: name.value.trim(), scope: scope.value, ...whose };
      await show(await post("/api/admin/keys", wanted, { anonymous: true }));
      name.value = "";
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    }
    button.disabled = false;
  });
  return form;
}
