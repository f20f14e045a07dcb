"""What a group of paper 3's experiment did from moment to moment, and the figures that the paper's tables have."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, median, pstdev

import msgspec

SAMPLE_EVERY_S = 0.1
PERIOD_S = 1.0
# Until then a crawl is still starting, which says nothing about how calm it is.
START_S = 10.0
SETTLED_SHARE, SETTLED_COUNT = 0.2, 1  # of the workers, or so many: whichever is larger


class Sample(msgspec.Struct, frozen=True):
    """One moment of a crawl."""

    at_s: float  # since its start
    pages: int
    received_bytes: int
    buffer: int  # pages that are fetched, and that nobody has begun to parse
    slots: int  # fetch workers
    workers: int  # parse workers
    idle_slots: int
    idle_workers: int
    reasons: dict[str, str] = {}  # the balancer's last ones, by stage


class Figures(msgspec.Struct, frozen=True):
    """A group's line in both tables."""

    group: str
    seconds: float
    pages: int
    megabytes: float
    pages_per_s: float
    variation: float | None  # of the speed, standard deviation ÷ mean; None: too short to tell
    mean_buffer: float
    most_buffer: int
    idle: float  # workers of both stages, on average
    idle_parse: float  # those of them that parse
    mean_slots: float
    mean_workers: float
    note: str = ""


def figures(group: str, samples: list[Sample], seconds: float, note: str = "") -> Figures:
    """Sum up what was seen within the time that each group has."""
    within = [sample for sample in samples if sample.at_s <= seconds]
    if not within:
        return Figures(group, 0.0, 0, 0.0, 0.0, None, 0.0, 0, 0.0, 0.0, 0.0, 0.0, "it did nothing")
    last = within[-1]
    speeds = speeds_of(within, START_S)
    has_ended = last.at_s < seconds - PERIOD_S
    return Figures(
        group=group,
        seconds=last.at_s,
        pages=last.pages,
        megabytes=last.received_bytes / 1e6,
        pages_per_s=last.pages / last.at_s if last.at_s else 0.0,
        variation=variation(speeds),
        mean_buffer=fmean(sample.buffer for sample in within),
        most_buffer=max(sample.buffer for sample in within),
        idle=fmean(sample.idle_slots + sample.idle_workers for sample in within),
        idle_parse=fmean(sample.idle_workers for sample in within),
        mean_slots=fmean(sample.slots for sample in within),
        mean_workers=fmean(sample.workers for sample in within),
        note="; ".join(filter(None, [note, "no page was left before the time was over" if has_ended else ""])),
    )


def speeds_of(samples: list[Sample], from_s: float) -> list[float]:
    """Pages in each whole second from then on."""
    counts: list[int] = []  # at from_s, one second later, …
    for sample in samples:
        while sample.at_s >= from_s + len(counts) * PERIOD_S:
            counts.append(sample.pages)
    return [(after - before) / PERIOD_S for before, after in pairwise(counts)]


def variation(speeds: list[float]) -> float | None:
    """How wild a curve is: its standard deviation as a share of its mean."""
    return pstdev(speeds) / fmean(speeds) if len(speeds) > 2 and any(speeds) else None


def settled_after(counts: list[int]) -> int:
    """After how many periods a count stays near the one at which it ends; `counts` has one a period, from a step on.

    Near is within a fifth, or within one. Where it ends is the median of the last quarter: a trial that happens to be
    under way at the very end is not where it ends.
    """
    end = median(counts[-max(1, len(counts) // 4) :])
    allowed = max(SETTLED_COUNT, SETTLED_SHARE * end)
    far = [period for period, count in enumerate(counts, 1) if abs(count - end) > allowed]
    return far[-1] if far else 0


def by_period(samples: list[Sample], from_s: float, until_s: float) -> list[Sample]:
    """The last sample of each period."""
    found: dict[int, Sample] = {}
    for sample in samples:
        if from_s <= sample.at_s < until_s:
            found[int((sample.at_s - from_s) / PERIOD_S)] = sample
    return list(found.values())
