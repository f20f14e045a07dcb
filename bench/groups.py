"""Paper 3's experiment with weft, on corpus d: `make bench-groups`, or with other figures

    python -m bench.groups [--seconds 30] [--step-seconds 15] [--slower 4]
    python -m bench.groups --scale small        a minute and a half: groups of 10 s, no step

Groups crawl the same pages of one server, one after the other, each for the same time and from an empty folder:

    balanced        weft as it is: it finds its own number of fetch slots and parse workers
    unbalanced      weft --fixed: as many slots as the balanced group had on average, and as many workers. A worker is
                    a process here, so there are at most as many as cores; a second group has one
    serial          `serial_crawl`: workers that fetch, parse and store a page before the next; as many as the sum of
                    both means

Then weft, left to itself, meets a step: answers take four times as long, and later as long as before. Printed are the
paper's two tables with its own figures beside ours, and after how many periods the counts stayed as they were.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bench.corpus import CORPORA, Stage, staged
from bench.group_samples import Figures, Sample, by_period, figures, settled_after
from bench.measure import CommandFailed, each_line
from bench.record import keep_figures, say
from bench.server import ServerError
from bench.table import NONE, aligned
from weft.config import CrawlConfig

CORPUS = "d"
# Twenty times as many as corpus d has otherwise (2 GB), so that no group comes to the end of them.
PAGES_A_HOST = 2_000
GROUP_S = 30.0
STEP_S = 15.0
SLOWER = 4.0
# Before and after the step answers come 2.5 times as fast as on d: a few hundred slots are then enough, and what is
# seen are not the most that weft takes.
QUICK = 0.4
STAGE_NAMES = ("before", "slower", "as before")


class Scale(msgspec.Struct, frozen=True):
    """How long it takes."""

    seconds: float
    step_seconds: float
    pages_a_host: int


SCALES = {"full": Scale(GROUP_S, STEP_S, PAGES_A_HOST), "small": Scale(10.0, 0.0, 600)}
SMALL = SCALES["small"]


class Paper(msgspec.Struct, frozen=True):
    """What the paper says of a group, after seven hours."""

    gigabytes: float
    mean_buffer: int | None = None
    idle: int | None = None


PAPER = {"balanced": Paper(16.18, 167, 17), "unbalanced": Paper(15.07, 294, 35), "serial": Paper(12.16)}


class Settling(msgspec.Struct, frozen=True):
    """What the counts did between two steps."""

    stage: str
    pages_per_s: float
    slots: list[int]  # one a period
    workers: list[int]
    slots_settled_after: int  # periods
    workers_settled_after: int


def main() -> None:
    """Run the groups, print the tables, and keep the figures."""
    options = _options()
    # An end by SIGTERM should also end nginx and remove the scratch folder.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    scratch = Path(tempfile.mkdtemp(prefix="weft-groups-"))
    try:
        with staged_groups(options.pages_a_host, scratch) as stage:
            say(f"{len(stage.truth):,} pages on {len(stage.hosts)} hosts")
            found, samples = run_groups(stage, options.seconds, scratch)
            print(tables(found))
            settlings: list[Settling] = []
            if options.step_seconds:
                settlings, samples["step"] = run_step(stage, options.step_seconds, options.slower, scratch)
                print(f"\n{settling_table(settlings, options.slower)}")
    except (ServerError, CommandFailed) as error:
        sys.exit(f"bench: {error}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    keep_figures("groups", {"seconds": options.seconds, "groups": found, "steps": settlings, "samples": samples})


@contextmanager
def staged_groups(pages_a_host: int, scratch: Path) -> Iterator[Stage]:
    """Corpus d with more pages."""
    corpus = CORPORA[CORPUS]
    assert corpus.shape is not None
    shape = msgspec.structs.replace(corpus.shape, pages_a_host=pages_a_host)
    with staged(msgspec.structs.replace(corpus, shape=shape), scratch) as stage:
        yield stage


def run_groups(stage: Stage, seconds: float, scratch: Path) -> tuple[list[Figures], dict[str, list[Sample]]]:
    """All groups; the balanced one comes first, since the others get its numbers."""
    settings = crawl_settings(stage, seconds)
    samples = {"balanced": list(watched("bench.group_crawl", settings, stage, scratch))}
    balanced = figures("balanced", samples["balanced"], seconds)
    say(described(balanced))
    found = [balanced]
    slots, cores = max(1, round(balanced.mean_slots)), os.cpu_count() or 1
    for group, workers in (("unbalanced", cores), ("unbalanced, 1 worker", 1)):
        fixed = msgspec.structs.replace(settings, fixed=True, connections=slots, workers=workers)
        samples[group] = list(watched("bench.group_crawl", fixed, stage, scratch))
        found.append(figures(group, samples[group], seconds))
        say(described(found[-1]))
    serial = msgspec.structs.replace(settings, connections=max(1, round(balanced.mean_slots + balanced.mean_workers)))
    samples["serial"] = list(watched("bench.serial_crawl", serial, stage, scratch))
    found.append(figures("serial", samples["serial"], seconds, "one process"))
    say(described(found[-1]))
    return found, samples


def run_step(stage: Stage, step_s: float, slower: float, scratch: Path) -> tuple[list[Settling], list[Sample]]:
    """weft left to itself, while answers take longer in the middle third."""
    samples: list[Sample] = []
    to_come = [(0.0, QUICK), (step_s, slower * QUICK), (2 * step_s, QUICK)]
    for sample in watched("bench.group_crawl", crawl_settings(stage, 3 * step_s), stage, scratch):
        if to_come and sample.at_s >= to_come[0][0]:
            stage.server.be_slower(to_come.pop(0)[1])
        samples.append(sample)
    return [
        settling(name, by_period(samples, number * step_s, (number + 1) * step_s))
        for number, name in enumerate(STAGE_NAMES)
    ], samples


def settling(name: str, samples: list[Sample]) -> Settling:
    """What the counts did from a step on; a sample a period."""
    if len(samples) < 2:
        raise CommandFailed(f"the crawl came to its end before the stage {name!r} began: take fewer seconds")
    slots, workers = [sample.slots for sample in samples], [sample.workers for sample in samples]
    half = samples[len(samples) // 2 :]
    seconds = half[-1].at_s - half[0].at_s
    return Settling(
        stage=name,
        pages_per_s=(half[-1].pages - half[0].pages) / seconds if seconds else 0.0,
        slots=slots,
        workers=workers,
        slots_settled_after=settled_after(slots),
        workers_settled_after=settled_after(workers),
    )


def watched(module: str, config: CrawlConfig, stage: Stage, scratch: Path) -> Iterator[Sample]:
    """Crawl in a process of its own; what it says of itself, ten times a second."""
    folder, log = scratch / "run", scratch / "run.log"
    stage.server.begin_anew()
    try:
        for _, line in each_line([sys.executable, "-m", module, str(folder)], msgspec.json.encode(config), log):
            yield msgspec.json.decode(line, type=Sample)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tables(found: list[Figures]) -> str:
    """The paper's tables 1 and 2, ours beside its own."""
    first = found[0]
    volume = [["group", "pages", "MB", "of balanced", "paper, GB", "of balanced", "pages/s", "variation"]]
    volume += [
        [
            row.group,
            f"{row.pages:,}",
            f"{row.megabytes:,.0f}",
            _share(row.megabytes, first.megabytes),
            f"{PAPER[row.group].gigabytes:.2f}" if row.group in PAPER else NONE,
            _share(PAPER[row.group].gigabytes, PAPER["balanced"].gigabytes) if row.group in PAPER else NONE,
            f"{row.pages_per_s:,.0f}",
            NONE if row.variation is None else f"{row.variation:.0%}",
        ]
        for row in found
    ]
    state = [["group", "buffer", "most", "paper", "idle", "of them parse", "paper", "slots", "workers"]]
    state += [
        [
            row.group,
            f"{row.mean_buffer:.1f}",
            f"{row.most_buffer:,}",
            _known(PAPER.get(row.group, Paper(0.0)).mean_buffer),
            f"{row.idle:.1f}",
            f"{row.idle_parse:.1f}",
            _known(PAPER.get(row.group, Paper(0.0)).idle),
            f"{row.mean_slots:.0f}",
            f"{row.mean_workers:.1f}",
        ]
        for row in found
    ]
    notes = [f"  {row.group}: {row.note}" for row in found if row.note]
    return "\n".join([
        f"Table 1: what each group fetched in {first.seconds:.0f} s (the paper: in 7 h)",
        *aligned(volume),
        "  variation: of the speed from second to second, after the first ten; standard deviation ÷ mean",
        "",
        "Table 2: pages between fetch and parse, and idle workers, on average",
        *aligned(state),
        "  idle: slots without a request and workers without a page; in the serial group a worker is a slot",
        *notes,
    ])  # fmt: skip


def settling_table(settlings: list[Settling], slower: float) -> str:
    """What the counts did at each step."""
    lines = [["answers", "pages/s", "slots", "near the end after", "workers", "near the end after"]]
    lines += [
        [
            f"{slower:g} × slower" if row.stage == "slower" else row.stage,
            f"{row.pages_per_s:,.0f}",
            f"{row.slots[0]} → {row.slots[-1]}",
            f"{row.slots_settled_after} periods",
            f"{row.workers[0]} → {row.workers[-1]}",
            f"{row.workers_settled_after} periods",
        ]
        for row in settlings
    ]
    told = "  near: within a fifth, or one, of where the count ends; pages/s: of the second half of each stage"
    return "\n".join(["A step in latency, a period being a second", *aligned(lines), told])


def described(row: Figures) -> str:
    """A group in one line."""
    return f"{row.group}: {row.pages:,} pages in {row.seconds:.0f} s, slots {row.mean_slots:.0f}, idle {row.idle:.0f}"


def crawl_settings(stage: Stage, seconds: float) -> CrawlConfig:
    """As the bench calls weft on this corpus, without a number of connections."""
    return CrawlConfig(
        seeds=tuple(stage.seeds),
        scope="host",
        delay_s=0.0,
        connections_per_host=stage.corpus.connections,
        allow_private=True,
        max_time_s=seconds,
    )


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else NONE


def _known(number: int | None) -> str:
    return NONE if number is None else str(number)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", choices=SCALES, default="full", help="what the others are by default")
    parser.add_argument("--seconds", type=float, help="for each group")
    parser.add_argument("--step-seconds", type=float, help="between steps in latency; 0: no steps")
    parser.add_argument("--slower", type=float, default=SLOWER, help="so many times, in the middle")
    parser.add_argument("--pages-a-host", type=int)
    options = parser.parse_args()
    for name, value in msgspec.structs.asdict(SCALES[options.scale]).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


if __name__ == "__main__":
    main()
