// Bars, drawn by hand: a name, a bar and a number a line.

const SVG = "http://www.w3.org/2000/svg";
const MOST_BARS = 8;

function bar(share, tone) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `bar ${tone}`);
  svg.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(SVG, "rect");
  rect.setAttribute("width", `${Math.max(share * 100, share ? 0.5 : 0)}%`);
  rect.setAttribute("height", "100%");
  rect.setAttribute("rx", "2");
  svg.append(rect);
  return svg;
}

function plot(title, note, counts, tone = () => "plain") {
  const bars = folded(counts);
  const most = Math.max(1, ...bars.map(each => each.count));
  const rows = bars.map(each => make("tr", {},
    make("th", {scope: "row"}, each.name),
    make("td", {class: "space"}, bar(each.count / most, tone(each.name))),
    make("td", {class: "number"}, number(each.count))));
  return make("figure", {class: "card"},
    make("figcaption", {}, title, " ", make("small", {}, note)),
    make("table", {class: "plot"}, make("tbody", {}, ...rows)));
}

function folded(counts) {
  if (counts.length <= MOST_BARS) return counts;
  const rest = counts.slice(MOST_BARS - 1);
  return [...counts.slice(0, MOST_BARS - 1), {name: "others", count: rest.reduce((sum, each) => sum + each.count, 0)}];
}

// Clicks: the far ones together, those that no link leads to apart.
function nearClicks(clicks) {
  const far = clicks.filter(each => Number(each.name) >= MOST_BARS - 2);
  if (far.length < 2) return clicks;
  const count = far.reduce((sum, each) => sum + each.count, 0);
  const others = clicks.filter(each => !far.includes(each));
  const near = others.filter(each => !isNaN(each.name)), unlinked = others.filter(each => isNaN(each.name));
  return [...near, {name: `${MOST_BARS - 2} and more`, count}, ...unlinked];
}

function toneOfStatus(name) {
  if (/^[23]/.test(name)) return name[0] === "2" ? "good" : "plain";
  return "error";
}
