// The page: frames come in, views show them.

import { ClusterView } from "./cluster.js";
import { CrawlView } from "./crawl.js";
import { Curves } from "./curves.js";
import { follow, keepToken, takeToken } from "./server.js";
import { Steering } from "./steering.js";
import { byId, count, duration, rate, say } from "./words.js";

const LATE_S = 10;
const STOP_CRAWL = "Have the crawl finish what is under way, and end? Nothing is lost: `weft resume` goes on.";

takeToken();
const crawl = new CrawlView();
const cluster = new ClusterView();
const curves = new Curves();
const steering = new Steering();
let shown = null; // the last frame with a status
let heardAt = 0; // when that was, by the clock of this machine
let isLost = false;

function onFrame(frame) {
  isLost = false;
  document.body.dataset.kind = frame.kind;
  say(byId("name"), frame.name);
  if (frame.status === null) return showTrouble(frame.trouble);
  if (frame.status.updated !== shown?.status.updated) heardAt = Date.now();
  shown = frame;
  if (frame.kind === "cluster") showCluster(frame.status);
  else showCrawl(frame.status);
  showNews();
}

function showCrawl(status) {
  document.body.dataset.state = status.state;
  say(byId("state"), status.state);
  const before = status.run_s - status.seconds > 1 ? ` · all runs ${duration(status.run_s)}` : "";
  const how = status.state === "ended" ? `${status.exit}, after` : "for";
  say(byId("since"), `${how} ${duration(status.seconds)}${before}`);
  say(byId("foot"), `weft ${status.version} · process ${status.pid} on ${status.machine} · began ${status.began} · as of ${status.updated}`);
  document.title = `${count(status.pages)} pages · ${rate(status.rates.pages)}/s · ${shown.name}`;
  crawl.show(status);
  curves.add(status);
  steering.stopWords = STOP_CRAWL;
  steering.show(status.state);
}

function showCluster(status) {
  const state = cluster.show(status);
  document.body.dataset.state = state;
  say(byId("state"), state);
  document.title = `${count(status.pages)} pages · ${shown.name}`;
  steering.stopWords = "Have all nodes finish what is under way, and end? `weft cluster resume` and the nodes go on.";
  steering.show(state);
}

function showTrouble(words) {
  say(byId("news"), words);
  if (shown === null) { document.body.dataset.state = "unknown"; say(byId("state"), "unknown"); }
}

function showNews() {
  if (isLost || shown === null || shown.kind === "cluster") return isLost || say(byId("news"), "");
  const late_s = (Date.now() - heardAt) / 1000;
  const isAtWork = !["ended", "killed"].includes(shown.status.state);
  say(byId("news"), isAtWork && late_s > LATE_S ? `no news for ${duration(late_s)}` : "");
  return undefined;
}

function onLost(words) {
  isLost = true;
  if (shown === null || !["ended", "killed"].includes(shown.status.state)) document.body.dataset.state = "lost";
  say(byId("news"), `${words}; what is shown is the last that was heard`);
  steering.show("unknown");
}

function onDenied() {
  byId("unlock").hidden = false;
  document.querySelector("main").hidden = true;
}

function begin() {
  byId("unlock").hidden = true;
  document.querySelector("main").hidden = false;
  steering.unlock();
  follow({ onOpen: () => curves.load(), onFrame, onLost, onDenied });
}

byId("unlock").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(byId("token").value);
  begin();
});
setInterval(showNews, 5000);
begin();
