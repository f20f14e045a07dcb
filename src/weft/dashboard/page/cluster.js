// How a cluster's crawl stands: nodes, and who found links for whom.

import { Table } from "./tables.js";
import { byId, count, rate, say } from "./words.js";

const NODES = 100;
const IN_MATRIX = 24;
const nobody = (name) => name || "nobody";

function stateOf(node) {
  if (!node.lives) return "gone";
  if (node.is_silent) return `silent for ${Math.round(node.silent_s)} s`;
  return node.leaves ? "leaving" : node.is_drained ? "drained" : node.is_idle ? "idle" : "busy";
}

export class ClusterView {
  constructor() {
    const figure = (name, text, width = "5.2rem") => ({ name, width, right: true, text });
    this.nodes = new Table(byId("t-nodes"), "Nodes", [
      { name: "node", text: (node) => node.name },
      { name: "machine", text: (node) => node.address },
      { name: "state", width: "8rem", text: stateOf, bad: (node) => node.is_silent },
      figure("weight", (node) => count(node.weight), "4rem"),
      figure("buckets", (node) => count(node.lives ? node.buckets : 0), "4.4rem"),
      figure("pages", (node) => count(node.counts.pages)),
      figure("queued", (node) => count(node.lives ? node.counts.queued : 0)),
      figure("links in", (node) => count(node.counts.received)),
      figure("links out", (node) => count(node.counts.sent)),
      figure("unsent", (node) => count(node.counts.unsent), "4.4rem"),
      figure("silent", (node) => `${rate(node.silent_s)} s`, "4.6rem"),
    ], NODES, "no node takes part in it");
    this.matrix = null;
    this.names = "";
    this.before = null;
  }

  // Returns its state, in a word.
  show(status) {
    const state = status.finished ? "ended" : status.stopped ? "stopped" : status.paused ? "paused" : "running";
    const living = status.nodes.filter((node) => node.lives && !node.is_silent);
    const now = performance.now() / 1000;
    say(byId("k-pages"), count(status.pages));
    if (this.before && now > this.before.at) say(byId("k-rate"), `${rate(Math.max(0, status.pages - this.before.pages) / (now - this.before.at))}/s`);
    if (!this.before || now - this.before.at > 10) this.before = { at: now, pages: status.pages };
    say(byId("k-queued"), count(status.queued));
    say(byId("k-nodes"), count(living.length));
    say(byId("k-silent"), `of ${count(status.nodes.length)}`);
    say(byId("k-buckets"), count(status.buckets));
    say(byId("k-moving"), `${count(status.moving)} on their way`);
    say(byId("k-events"), count(status.events));
    say(byId("k-unsent"), count(status.nodes.reduce((sum, node) => sum + node.counts.unsent, 0)));
    this.nodes.show(status.nodes);
    this.#matrix(status.nodes);
    return state;
  }

  #matrix(nodes) {
    const names = [...new Set(nodes.flatMap((node) => [node.name, ...Object.keys(node.sent_to)]))].sort().slice(0, IN_MATRIX);
    const key = JSON.stringify(names);
    if (this.matrix === null || key !== this.names) {
      const columns = names.map((name) => ({ name: nobody(name), width: "5.2rem", right: true, text: (node) => count(node.sent_to[name]) }));
      this.matrix = new Table(byId("t-matrix"), "Links exchanged", [{ name: "found by", text: (node) => node.name }, ...columns], IN_MATRIX, "none yet");
      this.names = key;
    }
    this.matrix.show(nodes);
  }
}
