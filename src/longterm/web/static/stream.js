// @ts-check
/** Listening to an answer until its end, whatever happens to the connection. */

import { Problem, ask, events } from "./lib.js";

/** @param {number} milliseconds @param {AbortSignal} signal */
const pause = (milliseconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

/** Take up an answer again where it was. @param {number} message @param {number} after @param {AbortSignal} signal */
export const follow = (message, after, signal) => ask("GET", `/api/chat/stream/${message}`, { query: { after, render: "html" }, signal });

/**
 * Tell what comes as it comes, and return the reply at its end. A lost connection is taken up
 * again, more and more patiently; what the server refuses is thrown.
 * @param {() => Promise<Response>} open
 * @param {(kind: string, told: any) => void} hear
 * @param {AbortSignal} signal
 * @param {number | null} [message] the question, where it is known before
 */
export async function listen(open, hear, signal, message = null) {
  let question = message;
  let length = 0;
  for (let tries = 0; ; tries++) {
    try {
      for await (const { kind, told } of events(await open())) {
        tries = 0;
        if (kind === "done" || kind === "error") return told;
        if (kind === "start") question = told.message_id;
        if (kind === "blocks") length = told.text_length;
        hear(kind, told);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Problem && error.status > 0 && error.status < 500) throw error;
      if (question === null) throw error;
    }
    if (question === null) throw new Problem(0, "The connection was lost before the answer came.");
    const known = question;
    hear("lost", tries);
    await pause(Math.min(400 * 2 ** tries, 3000), signal);
    open = () => follow(known, length, signal);
  }
}
