// How one crawl stands.

import { Table, shares } from "./tables.js";
import { byId, count, duration, hint, megabytes, moment, percent, rate, say, sayWithCode, seconds, size } from "./words.js";

const ROWS = 20;
const NEWEST = 30;
const share = { name: "", text: (row) => row.name, share: (row) => row.share };
const counted = (name) => ({ name, width: "5.2rem", right: true, text: (row) => count(row.number) });
const part = { name: "share", width: "3.4rem", right: true, text: (row) => percent(row.share) };
const hostName = { name: "host", text: (row) => row.name };

function countTable(id, title, word, nothing) {
  return new Table(byId(id), title, [{ ...share, name: word }, counted("count"), part], ROWS, nothing);
}

function hostTable(id, title, nothing) {
  return new Table(byId(id), title, [
    hostName,
    { name: "pages", width: "4.6rem", right: true, text: (row) => count(row.pages) },
    { name: "received", width: "5rem", right: true, off: true, text: (row) => size(row.bytes) },
    { name: "failed", width: "3.6rem", right: true, text: (row) => count(row.failed), bad: (row) => row.failed > 0 },
    { name: "mean wait", width: "4.8rem", right: true, text: (row) => seconds(row.mean_wait_s) },
  ], ROWS, nothing);
}

export class CrawlView {
  constructor() {
    this.stages = new Table(byId("t-stages"), "Stages", [
      { name: "stage", width: "5rem", text: (row) => row.name },
      { name: "workers", width: "4.4rem", right: true, text: (row) => count(row.workers) },
      { name: "of", width: "3.8rem", off: true, right: true, text: (row) => count(row.most) },
      { name: "waiting", width: "4.6rem", right: true, text: (row) => count(row.buffer) },
      { name: "idle", width: "4rem", right: true, text: (row) => percent(row.idle_percent) },
      { name: "done/s", width: "4.4rem", right: true, text: (row) => rate(row.done_per_s) },
      { name: "why so many", off: true, text: (row) => row.why },
    ], 3, "not known yet");
    this.kinds = countTable("t-kinds", "Responses by kind", "kind", "none yet");
    this.statuses = countTable("t-statuses", "Responses by status", "status", "none yet");
    this.refused = countTable("t-refused", "Links refused", "reason", "none");
    this.failed = countTable("t-failed", "Failures", "outcome", "none");
    this.byPages = hostTable("t-by-pages", "Pages by host", "none yet");
    this.slowest = hostTable("t-slowest", "Slowest hosts", "none yet");
    this.waiting = new Table(byId("t-waiting"), "Hosts that wait", [
      { ...hostName, width: "40%" },
      { name: "why", text: (row) => row.why },
      { name: "for", width: "5rem", right: true, text: (row) => (row.rest_s > 0 ? seconds(row.rest_s) : "–") },
    ], ROWS, "no host waits");
    this.left = new Table(byId("t-left"), "Hosts left", [
      { ...hostName, width: "40%" },
      { name: "why", text: (row) => row.why },
    ], ROWS, "no host is left");
    this.newest = new Table(byId("t-newest"), "Newest pages", [
      { name: "at", width: "4.6rem", text: (row) => moment(row.at) },
      { name: "status", width: "7rem", text: (row) => row.status || row.outcome, bad: (row) => !row.status || row.status >= 400 },
      { name: "size", width: "4.6rem", right: true, off: true, text: (row) => size(row.bytes) },
      { name: "took", width: "4.4rem", right: true, off: true, text: (row) => seconds(row.took_s) },
      { name: "URL", text: (row) => row.url },
    ], NEWEST, "none yet");
    this.machine = new Table(byId("t-machine"), "DNS, robots.txt, memory", [
      { name: "figure", text: (row) => row[0] },
      { name: "now", width: "7rem", right: true, text: (row) => row[1] },
    ], 24, "");
  }

  show(status) {
    const { rates, hosts, memory } = status;
    say(byId("f-pages"), count(status.pages));
    say(byId("f-rate-mean"), `${rate(status.pages_per_s)}/s on average`);
    say(byId("f-pages-per-s"), rate(rates.pages));
    say(byId("f-requests-per-s"), `${rate(rates.requests)} requests/s`);
    say(byId("f-mb-per-s"), megabytes(rates.bytes));
    say(byId("f-bytes"), `${size(status.bytes)} received`);
    say(byId("f-queued"), count(status.queued));
    say(byId("f-seen"), `of ${count(status.seen)} found`);
    say(byId("f-under-way"), count(status.under_way));
    say(byId("f-slots"), `of ${count(status.slots)}; ${count(status.preparing)} prepare`);
    say(byId("f-hosts-ready"), count(hosts.ready));
    say(byId("f-hosts-waiting"), `${count(hosts.waiting)} wait, ${count(hosts.left)} left`);
    say(byId("f-memory"), size(memory.engine + memory.workers));
    say(byId("f-memory-parts"), `workers ${size(memory.workers)}`);
    say(byId("f-cpu"), duration(status.engine_cpu_s));
    say(byId("f-cpu-parts"), `${percent((100 * status.engine_cpu_s) / (status.seconds || 1))} of a core`);
    for (const small of document.querySelectorAll(".tiles small")) hint(small, small.textContent);
    this.#limiter(status);
    this.#warnings(status.warnings ?? []);
    this.stages.show(status.stages ?? []);
    this.kinds.show(shares(status.kinds));
    this.statuses.show(shares(status.statuses));
    this.refused.show(shares(status.refused));
    this.failed.show(shares(status.failed));
    this.byPages.show(status.by_pages ?? []);
    this.slowest.show(status.slowest ?? []);
    this.waiting.show(status.waiting ?? []);
    this.left.show(status.left ?? []);
    this.newest.show(status.newest ?? []);
    this.machine.show(this.#machine(status));
    this.#steered(status);
  }

  #limiter({ limiter, limit }) {
    say(byId("limiter-name"), limiter.name);
    sayWithCode(byId("limiter-words"), limiter.words);
    sayWithCode(byId("limiter-advice"), limiter.advice);
    byId("limit-bar").value = limit ? Number(limit.percent) || 0 : 0;
    say(byId("limit-words"), limit ? limitWords(limit) : "No limit is set: it ends when nothing is left to do.");
  }

  #warnings(sentences) {
    const shown = sentences.length ? sentences.slice(0, ROWS) : ["Nothing is wrong."];
    fill(byId("warnings"), shown, (item, words) => {
      say(item, words);
      item.className = sentences.length ? "" : "none";
    });
  }

  #machine({ dns, robots, memory, hosts, parsing, peak_rss_bytes: peak }) {
    return [
      ["names asked for", count(dns.queries)],
      ["a question takes", `${rate(dns.mean_query_ms)} ms`],
      ["known at once", count(dns.hits)],
      ["under way", count(dns.in_flight)],
      ["not found", count(dns.not_found)],
      ["questions failed", count(dns.failures)],
      ["names in memory", count(dns.cached_names)],
      ["robots.txt asked for", count(robots.asked)],
      ["robots.txt in memory", count(robots.known)],
      ["hosts in memory", count(hosts.in_memory)],
      ["pages being read", count(parsing)],
      ["bodies in memory", size(memory.bodies)],
      ["of at most", size(memory.bodies_most)],
      ["engine", size(memory.engine)],
      ["workers", size(memory.workers)],
      ["peak, all together", size(peak)],
    ];
  }

  #steered({ steered, commands }) {
    const listed = (words) => (words?.length ? words.slice(0, ROWS).join(", ") : "none");
    const delays = Object.entries(steered.host_delays ?? {}).map(([host, delay]) => `${host} ${seconds(delay)}`);
    const rows = [
      ["pages a second", steered.rate === null ? "no limit" : rate(steered.rate)],
      ["delay", seconds(steered.delay_s)],
      ["delay of hosts", listed(delays)],
      ["hosts blocked", listed(steered.blocked)],
      [steered.excludes ? `${count(steered.excludes)} excluded` : "excluded", listed(steered.exclude)],
      ["seeds", count(steered.seed_count)],
    ];
    fill(byId("steered"), rows.flat(), (item, words) => { say(item, words); hint(item, words); }, ["dt", "dd"]);
    fill(byId("commands"), (commands ?? []).slice(0, ROWS), (item, done) => {
      say(item, `${moment(done.at)}  ${done.words}`);
      hint(item, done.words);
    });
  }
}

function limitWords({ name, done, of, percent: share_, left_s: left }) {
  const shown = { bytes: size, time: duration }[name] ?? count;
  const rest = left === null ? "" : `; about ${duration(left)} left`;
  return `${shown(done)} of ${shown(of)}${name === "pages" ? " pages" : ""}, ${percent(share_)}${rest}`;
}

// The elements of a list stay where they are, and get other words.
function fill(list, items, write, kinds = ["li"]) {
  while (list.children.length < items.length) list.append(document.createElement(kinds[list.children.length % kinds.length]));
  while (list.children.length > items.length) list.lastChild.remove();
  items.forEach((item, at) => write(list.children[at], item));
}
