// The server: its frames, its curves, and what it is told. The token goes in a header, so no address ever has it.

const KEPT = "weft-token";
const AGAIN_S = [1, 2, 4, 8];

export class Denied extends Error {}

export function takeToken() {
  const found = /^#token=([\w.~-]+)$/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(KEPT, found[1]);
  history.replaceState(null, "", location.pathname);
}

export const keepToken = (token) => sessionStorage.setItem(KEPT, token.trim());
export const forgetToken = () => sessionStorage.removeItem(KEPT);
export const hasToken = () => sessionStorage.getItem(KEPT) !== null;

function head() {
  return hasToken() ? { Authorization: `Bearer ${sessionStorage.getItem(KEPT)}` } : {};
}

async function refusal(answer) {
  try {
    return String((await answer.json()).error ?? answer.status);
  } catch {
    return `the server answered ${answer.status}`;
  }
}

export async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: head(), body: JSON.stringify(body) });
  if (answer.status === 204) return "";
  if (!answer.ok) throw new (answer.status === 401 ? Denied : Error)(await refusal(answer));
  return String((await answer.json()).words);
}

export async function get(path) {
  const answer = await fetch(path, { headers: head() });
  return answer.ok ? answer.json() : null;
}

// Frames for as long as the page is looked at: a browser has few connections to a server, and a hidden page needs none.
export async function follow({ onOpen, onFrame, onLost, onDenied }) {
  let failures = 0;
  for (;;) {
    if (document.hidden) await new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
    const leaving = new AbortController();
    const leave = () => document.hidden && leaving.abort();
    document.addEventListener("visibilitychange", leave);
    try {
      const answer = await fetch("events", { headers: head(), signal: leaving.signal });
      if (answer.status === 401) return onDenied();
      if (!answer.ok) throw new Error(await refusal(answer));
      failures = 0;
      onOpen();
      await read(answer.body.getReader(), onFrame);
      throw new Error("the view has ended");
    } catch (error) {
      if (leaving.signal.aborted) continue;
      onLost(error instanceof TypeError ? "the view is not reached" : error.message);
      await new Promise((go) => setTimeout(go, 1000 * AGAIN_S[Math.min(failures, AGAIN_S.length - 1)]));
      failures += 1;
    } finally {
      document.removeEventListener("visibilitychange", leave);
    }
  }
}

async function read(reader, onFrame) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop();
    const frames = events.filter((event) => event.startsWith("data: "));
    if (frames.length) onFrame(JSON.parse(frames.at(-1).slice(6))); // the newest is enough
  }
}
