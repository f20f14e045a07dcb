// The page put together: figures and plots on top, then what is searched and filtered.

const report = unpacked(JSON.parse(document.getElementById("data").textContent));
const search = new Search(report);
const tables = report.sections.map(section => new Table(report, section, search));
const MANY_KINDS = 22;  // more than this are shown beside the plots
const byId = id => document.getElementById(id);

function showTop() {
  const host = originOf(report.first_seed).replace(/^https?:\/\//i, "") || report.first_seed;
  document.title = host ? `Site report: ${visible(host)}` : "Site report";
  byId("host").textContent = visible(host) || "no seed";
  byId("seed").append(link(report.first_seed));
  byId("when").textContent = period(report.first_visit, report.last_visit);
  byId("verdict").textContent = report.verdict;
  if (report.since) byId("since").textContent = `Compared with ${visible(report.since)}.`;
  showTotals();
  byId("plots").append(
    plot("Answers", "URLs by status", report.statuses, toneOfStatus),
    plot("Clicks from the start", "pages", nearClicks(report.clicks)),
    plot("Time to the first byte", "pages", report.waits),
    plot("Size", "pages", report.sizes));
}

function showTotals() {
  const sum = count => report.sections.reduce((all, section) => all + count(section), 0);
  const graded = severity => sum(section => section.severity === severity ? section.count : 0);
  const tiles = [
    ["errors", graded("error"), "error"],
    ["warnings", graded("warning"), "warning"],
    ["notices", graded("notice"), "notice"],
    ["new", report.since ? sum(section => section.new ?? 0) : null],
    ["fixed", report.since ? sum(section => section.fixed ?? 0) : null, "good"],
    ["pages", report.pages],
    ["URLs visited", report.visited],
    ["links", report.links],
    ["other sites' URLs checked", report.external_checked],
  ];
  for (const [name, value, tone = ""] of tiles)
    if (value !== null)
      byId("totals").append(make("div", {class: `tile ${tone}`}, make("dt", {}, name), make("dd", {}, number(value))));
}

function period(first, last) {
  const [from, to] = [first, last].map(moment => moment.replace("T", " ").replace(/:\d\dZ$/, ""));
  if (!from) return "nothing was visited";
  const [day, time] = to.split(" ");
  return from === to ? `${from} UTC` : `${from} to ${from.startsWith(day) ? time : to} UTC`;
}

function compared(sign, count, word) {
  return make("td", {class: "number compared"}, count ? `${sign}${number(count)} ${word}` : "");
}

function showKinds() {
  const most = Math.max(1, ...report.sections.map(section => section.count));
  byId("kinds").append(...report.sections.map(section => make("tr", {"data-kind": section.kind},
    make("td", {}, badge(section.severity)),
    make("th", {scope: "row"}, make("a", {href: `#${section.kind}`}, section.title)),
    make("td", {class: "space"}, bar(section.count / most, section.severity)),
    make("td", {class: "number"}, number(section.count)),
    ...(report.since ? [compared("+", section.new, "new"), compared("", section.fixed, "fixed")] : []))));
  byId("kind").append(...report.sections.map(({kind, title, count}) =>
    make("option", {value: kind}, `${title} (${number(count)})`)));
  byId("sections").append(...tables.map(table => table.element));
}

const severities = () => new Set([...document.querySelectorAll("#severities input:checked")].map(input => input.value));

function choose() {
  const query = byId("search").value.trim(), kind = byId("kind").value, wanted = severities();
  const onlyNew = byId("only-new").checked;
  const found = search.rows(query);
  const isNarrowed = Boolean(query || onlyNew);
  let count = 0, kinds = 0;
  tables.forEach((table, at) => {
    const {section} = table;
    const rows = rowsWhere(section, found[at], onlyNew);
    const isWanted = (!kind || kind === section.kind) && wanted.has(section.severity);
    const isShown = isWanted && (rows.length > 0 || !isNarrowed);
    table.element.hidden = !isShown;
    if (!isShown) return;
    table.show(rows);
    count += rows.length;
    kinds += 1;
  });
  const nothing = report.sections.length ? "Nothing is found by this." : "Nothing to fix was found.";
  byId("found").textContent = kinds ? `${counted(count, "finding")} of ${counted(kinds, "kind")}` : nothing;
  byId("show-all").hidden = !(isNarrowed || kind || wanted.size < 3);
}

let waiting = 0;
function chooseSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(choose, 80);
}

function showAll() {
  byId("filters").reset();
  choose();
}

function clear() {
  showAll();
  byId("search").focus();
}

// What was searched for, marked where it is shown: ranges over text, so nothing changes in the document.
function mark() {
  if (!window.Highlight) return;
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const ranges = [];
  const texts = document.createTreeWalker(byId("sections"), NodeFilter.SHOW_TEXT);
  while (words.length && texts.nextNode()) {
    const node = texts.currentNode, text = node.data.toLowerCase();
    if (text.length !== node.length || !node.parentElement.closest("td, h2, .fixed")) continue;
    for (const word of words)
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
        ranges.push(rangeIn(node, at, at + word.length));
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

function rangeIn(node, from, to) {
  return new StaticRange({startContainer: node, startOffset: from, endContainer: node, endOffset: to});
}

function listen() {
  byId("search").addEventListener("input", chooseSoon);
  byId("filters").addEventListener("change", choose);
  byId("filters").addEventListener("submit", event => event.preventDefault());
  byId("show-all").addEventListener("click", clear);
  document.addEventListener("keydown", event => {
    if (event.key === "/" && !event.target.closest("input, select")) {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "Escape" && event.target === byId("search")) clear();
  });
  byId("kinds").addEventListener("click", event => {
    const kind = event.target.closest("a")?.hash.slice(1);
    if (kind && byId(kind).hidden) showAll();  // before the browser goes there
  });
  let isMarking = false;
  document.addEventListener("filled", () => {
    if (!isMarking) requestAnimationFrame(() => { isMarking = false; mark(); });
    isMarking = true;
  });
  const print = printing => tables.filter(table => !table.element.hidden).forEach(table => table.print(printing));
  matchMedia("print").addEventListener("change", event => print(event.matches));
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
}

showTop();
showKinds();
document.querySelector("main").classList.toggle("many", report.sections.length > MANY_KINDS);
byId("only-new").closest("label").hidden = !report.since;
for (const severity of ["error", "warning", "notice"]) {
  const label = byId(`severity-${severity}`).closest("label");
  label.hidden = !report.sections.some(section => section.severity === severity);
}
choose();
listen();
document.body.dataset.ready = "";
setTimeout(() => search.prepare(), 300);  // before anybody has typed a word
if (location.hash) byId(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
