// Points over time: those of the history, and those that have come since.

import { Chart } from "./charts.js";
import { byId, count, megabytes, percent, rate } from "./words.js";
import { get } from "./server.js";

const STAGES = ["resolve", "fetch", "parse"];
const MOST_LIVE = 900; // then the history is read again, which has thinned them out

export function pointOf(status) {
  const of = (field) => (status.stages ?? []).map((stage) => Number(stage[field]) || 0);
  return {
    at: Date.parse(status.updated) / 1000,
    pages_per_s: status.rates?.pages ?? 0,
    bytes_per_s: status.rates?.bytes ?? 0,
    workers: of("workers"),
    buffers: of("buffer"),
    idle_percent: of("idle_percent"),
  };
}

const stages = (field) => STAGES.map((name, at) => ({ name, of: (point) => Number(point[field]?.[at]) || 0 }));

export class Curves {
  constructor() {
    this.past = [];
    this.live = [];
    this.range_s = 0;
    this.charts = [
      new Chart(byId("c-pages"), "Pages a second", "", [{ name: "pages/s", of: (one) => Number(one.pages_per_s) || 0 }], { format: rate }),
      new Chart(byId("c-bytes"), "Megabytes a second", "", [{ name: "MB/s", of: (one) => Number(one.bytes_per_s) || 0 }], { format: megabytes }),
      new Chart(byId("c-workers"), "Workers", "", stages("workers"), { format: count }),
      new Chart(byId("c-buffers"), "Waiting for them", "", stages("buffers"), { format: count }),
      new Chart(byId("c-idle"), "Idle", "", stages("idle_percent"), { format: percent, most: 100 }),
    ];
    for (const radio of document.querySelectorAll("input[name=range]")) {
      radio.addEventListener("change", () => { this.range_s = Number(radio.value); this.draw(); });
    }
  }

  async load() {
    const found = await get("history");
    if (!Array.isArray(found)) return;
    this.past = found.filter((point) => Number.isFinite(point?.at));
    const last = this.past.at(-1)?.at ?? 0;
    this.live = this.live.filter((point) => point.at > last);
    this.draw();
  }

  async add(status) {
    const point = pointOf(status);
    const last = this.live.at(-1) ?? this.past.at(-1);
    if (!Number.isFinite(point.at) || (last && point.at <= last.at)) return;
    this.live.push(point);
    this.draw();
    if (this.live.length <= MOST_LIVE) return;
    await this.load();
    this.live = this.live.slice(-MOST_LIVE / 2);
  }

  draw() {
    let points = [...this.past, ...this.live];
    if (this.range_s && points.length) {
      const from = points.at(-1).at - this.range_s;
      points = points.filter((point) => point.at >= from);
    }
    for (const chart of this.charts) chart.show(points);
  }
}
