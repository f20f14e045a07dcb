"""What the samples of a growing crawl say, as tables and sentences. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from bench.growth_samples import Sample
from bench.growth_urls import Step, Urls

MARKS = (10_000, 100_000, 1_000_000)
MEMORY_FROM_PAGES = 100_000
LEAST_SPEED = 0.9
MOST_MEMORY = 1.20  # of that at MEMORY_FROM_PAGES
MB = 1_000_000


class Stretch(msgspec.Struct, frozen=True):
    """A part of a crawl, from one sample to another."""

    name: str
    first: Sample
    last: Sample
    memory_bytes: float  # mean of its samples, of engine and workers

    @property
    def pages(self) -> int:
        return self.last.pages - self.first.pages

    @property
    def pages_per_s(self) -> float:
        return self.pages / (self.last.at_s - self.first.at_s)

    @property
    def engine_ms(self) -> float:
        """CPU a page."""
        return 1000 * (self.last.engine_cpu_s - self.first.engine_cpu_s) / self.pages

    @property
    def workers_ms(self) -> float:
        """CPU a page."""
        return 1000 * (self.last.workers_cpu_s - self.first.workers_cpu_s) / self.pages

    @property
    def server_ms(self) -> float:
        """CPU a page. The server does the same for each, so what this changes by is the machine's doing."""
        return 1000 * (self.last.server_cpu_s - self.first.server_cpu_s) / self.pages

    def answers(self, by: str) -> float:
        """How often the seen set answered so, a page."""
        return (self.last.answers.get(by, 0) - self.first.answers.get(by, 0)) / self.pages

    @property
    def new_urls(self) -> float:
        """Found, a page."""
        return (self.last.seen - self.first.seen) / self.pages


def stretches(samples: Sequence[Sample]) -> list[Stretch]:
    """The stretches around the marks that the crawl reached; where it ends at a mark, the tenth before it."""
    crawling = while_crawling(samples)
    if not crawling:
        return []
    end = crawling[-1].pages
    found = []
    for mark in MARKS:
        low, high = (0.5 * mark, 1.5 * mark) if end >= 1.5 * mark else (0.9 * mark, 1.1 * mark)
        if end >= 0.95 * mark and (part := stretch(f"{mark:,}", crawling, low, high)) is not None:
            found.append(part)
    return found


def stretch(name: str, samples: Sequence[Sample], low: float, high: float) -> Stretch | None:
    """The samples from so many pages to so many; None when there are fewer than two."""
    inside = [sample for sample in samples if low <= sample.pages <= high]
    if len(inside) < 2 or inside[0].pages == inside[-1].pages:
        return None
    return Stretch(name, inside[0], inside[-1], sum(map(memory_of, inside)) / len(inside))


def while_crawling(samples: Sequence[Sample]) -> list[Sample]:
    """With the last page the workers end, and what they have used is not seen any more."""
    crawling = [sample for sample in samples if sample.has_workers]
    most_s = max((sample.workers_cpu_s for sample in crawling), default=0.0)
    while crawling and crawling[-1].workers_cpu_s < most_s:
        crawling.pop()
    return crawling


def memory_of(sample: Sample) -> int:
    """Of engine and workers together."""
    return sample.engine_bytes + sample.workers_bytes


def most_memory(samples: Sequence[Sample]) -> float | None:
    """The most that a later sample has, as a multiple of what there was at MEMORY_FROM_PAGES."""
    at_mark = stretch("", samples, 0.9 * MEMORY_FROM_PAGES, 1.1 * MEMORY_FROM_PAGES)
    later = [memory_of(sample) for sample in samples if sample.pages >= MEMORY_FROM_PAGES]
    return max(later) / at_mark.memory_bytes if at_mark and later else None


def page_of(parts: list[Stretch], samples: Sequence[Sample], urls: Urls | None) -> str:
    """The whole report in Markdown."""
    lines = [
        "# As a crawl grows",
        "",
        "Written by `make bench-growth`; what it does is told in `bench/growth.py`. "
        "With more cores: [cores.md](cores.md).",
        "",
    ]
    if parts:
        lines += _crawl_lines(parts, samples)
    if urls is not None:
        lines += _urls_lines(urls)
    return "\n".join(lines)


def _crawl_lines(parts: list[Stretch], samples: Sequence[Sample]) -> list[str]:
    rows = [
        [
            part.name, f"{part.pages_per_s:,.0f}", f"{part.engine_ms:.3f}", f"{part.workers_ms:.3f}",
            f"{part.engine_ms + part.workers_ms:.3f}", f"{part.server_ms:.3f}", f"{part.memory_bytes / MB:,.0f}",
            f"{part.last.state_bytes / MB:,.0f}", f"{part.last.queued:,}", f"{part.new_urls:.2f}",
            f"{part.answers('cache'):.2f}", f"{part.answers('filter'):.2f}", f"{part.answers('disk'):.2f}",
        ]
        for part in parts
    ]  # fmt: skip
    names = [
        "pages", "pages/s", "engine ms", "workers ms", "both", "server ms", "memory MB", "state MB", "queued",
        "new URLs", "by cache", "by filter", "by disk",
    ]  # fmt: skip
    return [
        "## One crawl",
        "",
        "![pages a second, CPU a page and memory as the crawl grows](growth.svg)",
        "",
        *table(names, rows),
        "",
        "ms: CPU a page. The server does the same for every page: if its figure changes, it is the machine that did. "
        "memory: of engine and workers, shared pages counted once. The last four, a page: URLs found for the first "
        "time, and by whom the seen set answered for the links that the workers reported.",
        "",
        *[f"- {sentence}" for sentence in _verdicts(parts, samples)],
        "",
    ]


def _verdicts(parts: list[Stretch], samples: Sequence[Sample]) -> list[str]:
    crawling = while_crawling(samples)
    first, last = parts[0], parts[-1]
    speed = last.pages_per_s / first.pages_per_s
    cpu = (last.engine_ms + last.workers_ms) / (first.engine_ms + first.workers_ms)
    server = last.server_ms / first.server_ms
    sentences = [
        f"Speed at {last.name} pages: {speed:.0%} of that at {first.name} (wanted: at least {LEAST_SPEED:.0%}). CPU a "
        f"page: {cpu:.0%}, the server's {server:.0%}.",
    ]
    if (memory := most_memory(crawling)) is not None:
        sentences.append(
            f"Most memory from {MEMORY_FROM_PAGES:,} pages on: {memory:.0%} of that there (wanted: at most "
            f"{MOST_MEMORY:.0%})."
        )
    after = samples[samples.index(crawling[-1]) + 1 :]
    if after:
        seconds, cpu_s = after[-1].at_s - crawling[-1].at_s, after[-1].engine_cpu_s - crawling[-1].engine_cpu_s
        most = max(sample.engine_bytes for sample in after)
        sentences.append(
            f"The index files of {samples[-1].pages:,} pages: {seconds:.1f} s, {cpu_s:.1f} s of CPU; the engine's "
            f"memory meanwhile at most {most / MB:,.0f} MB, before {crawling[-1].engine_bytes / MB:,.0f} MB."
        )
    return sentences


def _urls_lines(urls: Urls) -> list[str]:
    cost = urls.cost_us
    return [
        f"## {urls.puts[-1].urls:,} URLs",
        "",
        "Put into seen set and queue, on 100,000 hosts:",
        "",
        *_steps_table(urls.puts),
        "",
        f"A question to the seen set costs {cost['cache']:.1f} µs when the cache answers, {cost['filter']:.1f} µs when "
        f"the filter does, {cost['disk']:.1f} µs when a row has to be read. The filter takes "
        f"{urls.seen['bytes'] / MB:.1f} MB; {urls.seen['false_positives']:,} of "
        f"{urls.seen['filter'] + urls.seen['false_positives']:,} new URLs needed a look at the rows all the same.",
        "",
        "Turns taken from the queue, each visit over as soon as it begins:",
        "",
        *_steps_table(urls.turns),
        "",
    ]


def _steps_table(steps: list[Step]) -> list[str]:
    urls_before = [0, *(step.urls for step in steps)]
    rows = [
        [
            f"{step.urls:,}", f"{(after - before) / step.seconds:,.0f}", f"{step.cpu_us:.1f}", f"{step.loop_us:.1f}",
            f"{step.memory_bytes / MB:,.0f}", f"{step.disk_bytes / MB:,.0f}",
        ]
        for step, (before, after) in zip(steps, pairwise(urls_before), strict=True)
    ]  # fmt: skip
    return table(["URLs", "URLs/s", "CPU µs", "of it in the loop", "memory MB", "disk MB"], rows)


def table(names: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table of numbers."""
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    body = ["| " + " | ".join(map(str.rjust, row, widths)) + " |" for row in [names, *rows]]
    return [body[0], "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|", *body[1:]]
