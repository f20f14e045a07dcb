// What a person may tell the crawl. The server checks everything again.

import { Denied, forgetToken, hasToken, keepToken, post } from "./server.js";
import { byId, say } from "./words.js";

const number = (text) => (text.trim() === "" ? null : Number(text));
const READ = { pages_per_s: number, seconds: number, urls: (text) => text.split(/\s+/).filter(Boolean), weight: number };
const AT_WORK = new Set(["running", "paused"]);

export class Steering {
  constructor() {
    this.may = false;
    this.state = "unknown";
    this.stopWords = "";
    this.#ask(!hasToken());
    for (const form of document.querySelectorAll("form[data-wish]")) {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const fields = [...new FormData(form)].map(([name, text]) => [name, (READ[name] ?? ((word) => word.trim()))(text)]);
        this.tell({ type: event.submitter?.value || form.dataset.wish, ...Object.fromEntries(fields) }).then((done) => done && form.reset());
      });
    }
    byId("pause").addEventListener("click", () => this.tell({ type: this.state === "paused" ? "resume" : "pause" }));
    byId("stop").addEventListener("click", () => { say(byId("sure-words"), this.stopWords); byId("sure").showModal(); });
    byId("sure-no").addEventListener("click", () => byId("sure").close());
    byId("sure-yes").addEventListener("click", () => { byId("sure").close(); this.tell({ type: "stop" }); });
    byId("unlock-here").addEventListener("submit", (event) => { event.preventDefault(); this.unlock(byId("token-here").value); });
  }

  async unlock(token) {
    if (token !== undefined) keepToken(token);
    if (!hasToken()) return;
    try {
      await post("token", null);
      this.may = true;
      this.#ask(false);
      this.#say("", false);
    } catch (error) {
      if (error instanceof Denied) forgetToken();
      this.#ask(true);
      this.#say(error.message, true);
    }
    this.show(this.state);
  }

  async tell(command) {
    try {
      this.#say(await post("commands", command), false);
      return true;
    } catch (error) {
      this.#say(error.message, true);
      return false;
    }
  }

  show(state) {
    this.state = state;
    const runs = this.may && AT_WORK.has(state);
    byId("pause").disabled = !runs;
    byId("stop").disabled = !runs;
    say(byId("pause"), state === "paused" ? "Resume" : "Pause");
    byId("wishes").disabled = !this.may;
    byId("cluster-wishes").disabled = !this.may;
  }

  #ask(isLocked) {
    byId("locked").hidden = byId("unlock-here").hidden = !isLocked;
  }

  #say(words, isBad) {
    for (const place of [byId("said"), byId("cluster-said")]) {
      say(place, words);
      place.classList.toggle("bad", isBad);
    }
  }
}
