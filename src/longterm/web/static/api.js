// @ts-check
/** The way to the server: who asks, for which user, and what came of it. */

import { tell } from "./lib.js";

/** What the server refused, in its own words. */
export class Problem extends Error {
  /** @param {number} status @param {string} detail */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** Who uses the page. The key is kept for this tab alone, and never in a URL. */
export const session = {
  /** @type {any} */ me: null,
  get key() { return sessionStorage.getItem("longterm-key") ?? ""; },
  set key(value) { value ? sessionStorage.setItem("longterm-key", value) : sessionStorage.removeItem("longterm-key"); },
  get tenant() { return sessionStorage.getItem("longterm-tenant") ?? ""; },
  set tenant(value) { value ? sessionStorage.setItem("longterm-tenant", value) : sessionStorage.removeItem("longterm-tenant"); },
  get userId() { return this.me?.user_id ?? localStorage.getItem("longterm-user") ?? "me"; },
  set userId(value) { localStorage.setItem("longterm-user", value); tell("user", value); },
};

/** @typedef {{query?: Record<string, any>, body?: any, raw?: BodyInit, headers?: Record<string, string>, signal?: AbortSignal, keepalive?: boolean, anonymous?: boolean}} Options */

/** Ask the server; the user is named in the query unless `anonymous`. @param {string} method @param {string} path @param {Options} [options] @returns {Promise<Response>} */
export async function ask(method, path, { query = {}, body, raw, headers = {}, signal, keepalive, anonymous } = {}) {
  const url = new URL(path, location.origin);
  if (!anonymous) url.searchParams.set("user_id", session.userId);
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, String(value));
  const sent = { ...headers };
  if (session.key) sent.Authorization = `Bearer ${session.key}`;
  if (session.tenant) sent["X-Longterm-Tenant"] = session.tenant;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(url, { method, headers: sent, body: body === undefined ? raw : JSON.stringify(body), signal, keepalive, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, "Longterm does not answer. It is tried again when you go on.");
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  if (answer.status === 401) tell("locked");
  throw new Problem(answer.status, told.detail ?? `The server answered ${answer.status}.`);
}

/** Ask for JSON. @param {string} path @param {Record<string, any>} [query] @param {Options} [options] @returns {Promise<any>} */
export const get = async (path, query, options) => (await ask("GET", path, { query, ...options })).json();
/** @param {string} path @param {any} body @param {Options} [options] @returns {Promise<any>} */
export const post = async (path, body, options) => json(await ask("POST", path, { body, ...options }));
/** @param {string} path @param {any} body @param {Options} [options] @returns {Promise<any>} */
export const put = async (path, body, options) => json(await ask("PUT", path, { body, ...options }));
/** @param {string} path @param {Options} [options] @returns {Promise<any>} */
export const del = async (path, options) => json(await ask("DELETE", path, options));

/** @param {Response} answer */
async function json(answer) {
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

/**
 * Yield server-sent events as they come.
 * @param {Response} answer
 * @returns {AsyncGenerator<{kind: string, told: any}>}
 */
export async function* events(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const kind = /^event: (.*)$/m.exec(part)?.[1] ?? "message";
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield { kind, told: JSON.parse(data) };
    }
  }
}
