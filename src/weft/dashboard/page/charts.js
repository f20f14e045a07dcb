// Curves, drawn by hand: a drawing without measures of its own, stretched by the browser.

import { clock, duration, say } from "./words.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 1000;
const HEIGHT = 100;
const GAP_AT_LEAST_S = 15; // a longer silence is shown as one

function drawn(name, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function made(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// A round number that is not less.
export function ceiling(number) {
  if (!(number > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(number));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * unit >= number) * unit;
}

export class Chart {
  // series: [{name, of(point)}]; most: the fixed top of the scale, if it has one.
  constructor(figure, title, unit, series, { format, most = null }) {
    this.series = series;
    this.format = format;
    this.most = most;
    this.title = title;
    this.points = [];
    const caption = made("figcaption", series.length > 1 ? "keys" : "", made("span", "name", unit ? `${title}, ${unit}` : title));
    this.outputs = series.map((one, at) => {
      const output = made("output", "");
      caption.append(series.length > 1 ? made("span", `key s${at}`, `${one.name} `, output) : output);
      return output;
    });
    this.area = series.length === 1 ? drawn("path", { class: "area" }) : null;
    this.paths = series.map((_, at) => drawn("path", { class: `s${at}` }));
    this.cross = drawn("line", { class: "cross", y1: 0, y2: HEIGHT, x1: -9, x2: -9 });
    const lines = [0.5, HEIGHT / 2, HEIGHT - 0.5].map((y) => drawn("line", { class: "grid", x1: 0, x2: WIDTH, y1: y, y2: y }));
    const paths = this.area ? [this.area, ...this.paths] : this.paths;
    this.svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" }, ...lines, ...paths, this.cross);
    this.svg.setAttribute("aria-label", title);
    this.top = made("span", "top");
    this.from = made("span", "from");
    this.to = made("span", "to");
    this.plot = made("div", "plot", this.svg, this.top, this.from, this.to);
    figure.replaceChildren(caption, this.plot);
    this.plot.addEventListener("pointermove", (event) => this.#point(event));
    this.plot.addEventListener("pointerleave", () => this.#point(null));
    this.pointed = null;
  }

  // points, each with `at` in seconds, the oldest first.
  show(points) {
    this.points = points;
    if (!points.length) return;
    const first = points[0].at;
    const last = points.at(-1).at;
    const span = Math.max(last - first, 1);
    const highest = Math.max(...this.series.map((one) => points.reduce((most, point) => Math.max(most, one.of(point)), 0)));
    const top = this.most ?? ceiling(highest);
    const gap = Math.max(GAP_AT_LEAST_S, (6 * span) / points.length);
    this.scale = { first, span };
    this.series.forEach((one, at) => {
      let path = "";
      let begun = 0;
      let area = "";
      let before = null;
      const close = () => { if (before !== null) area += `L${before} ${HEIGHT}L${begun} ${HEIGHT}Z`; };
      for (let index = 0; index < points.length; index += 1) {
        const x = Math.round(((points[index].at - first) / span) * WIDTH * 10) / 10;
        const y = Math.round((HEIGHT - 1 - (Math.min(one.of(points[index]), top) / top) * (HEIGHT - 2)) * 10) / 10;
        const breaks = index === 0 || points[index].at - points[index - 1].at > gap;
        if (breaks && this.area) { close(); begun = x; }
        path += `${breaks ? "M" : "L"}${x} ${y}`;
        if (this.area) area += `${breaks ? "M" : "L"}${x} ${y}`;
        before = x;
      }
      this.paths[at].setAttribute("d", path);
      if (this.area) { close(); this.area.setAttribute("d", area); }
    });
    say(this.top, this.format(top));
    say(this.from, `${clock(new Date(first * 1000))}`);
    say(this.to, `${clock(new Date(last * 1000))}  (${duration(span)})`);
    if (this.pointed === null) this.#tell(points.at(-1));
  }

  #tell(point) {
    const values = this.series.map((one) => this.format(one.of(point)));
    values.forEach((value, at) => say(this.outputs[at], value));
    const words = values.map((value, at) => (this.series.length > 1 ? `${this.series[at].name} ${value}` : value));
    this.svg.setAttribute("aria-label", `${this.title}: ${words.join(", ")}`);
  }

  #point(event) {
    const box = this.plot.getBoundingClientRect();
    this.pointed = event && this.points.length ? (event.clientX - box.left) / box.width : null;
    const x = this.pointed === null ? -9 : this.pointed * WIDTH;
    this.cross.setAttribute("x1", x);
    this.cross.setAttribute("x2", x);
    if (!this.points.length) return;
    if (this.pointed === null) return this.#tell(this.points.at(-1));
    const at = this.scale.first + this.pointed * this.scale.span;
    const nearest = this.points.reduce((best, one) => (Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best));
    this.#tell(nearest);
  }
}
