"""`python -m bench.versions --before REVISION`: what a change costs, weft as it was and as it is in turn.

With `--flags '--order opic'` it is weft as it is, without and with these flags. With `--without-c` neither version has
its parts in C, as where there is no compiler.

The machine's speed changes from minute to minute, so only versions that alternate in one run can be compared. What is
told is weft's own CPU a page: the median of the rounds, with the smallest and the largest, since a difference within
the spread is none.
"""

from __future__ import annotations

import argparse
import io
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.command import bench_scratch
from bench.corpus import CORPORA, staged
from bench.record import keep_figures, say
from bench.rounds import Caps, described, run_once
from bench.table import NONE, Round, aligned
from bench.tools import PROJECT, Tool, weft

BEFORE, NOW = "before", "now"
TITLES = ["corpus", "rounds", "before, ms", "spread", "now, ms", "spread", "now ÷ before"]


class Spread(msgspec.Struct, frozen=True):
    """CPU a page over the rounds of one version, in milliseconds."""

    rounds: int
    median_ms: float
    least_ms: float
    most_ms: float

    @property
    def share(self) -> float:
        """How far the rounds are apart, as a share of their median."""
        return (self.most_ms - self.least_ms) / self.median_ms


def spread_of(rounds: Sequence[Round]) -> Spread | None:
    """The rounds of one version; None when none of them succeeded."""
    costs_ms = [1000 * one.cpu_s / one.pages for one in rounds if not one.failure and one.pages]
    return Spread(len(costs_ms), median(costs_ms), min(costs_ms), max(costs_ms)) if costs_ms else None


def line_of(corpus: str, before: Spread | None, now: Spread | None) -> list[str]:
    """A corpus's line of the table."""
    if before is None or now is None:
        return [corpus, *[NONE] * (len(TITLES) - 1)]
    return [
        corpus,
        str(min(before.rounds, now.rounds)),
        f"{before.median_ms:.3f}",
        f"{before.share:.1%}",
        f"{now.median_ms:.3f}",
        f"{now.share:.1%}",
        f"{now.median_ms / before.median_ms:.3f}",
    ]


def main() -> None:
    """Install the earlier version beside this one, and crawl with both in turn."""
    options = _options()
    with bench_scratch("versions", is_kept=options.keep) as scratch:
        tools = _tools(options, scratch)
        lines = [TITLES]
        figures: dict[str, object] = {"before": options.flags or options.before, "without_c": options.without_c}
        for name in options.corpus.split(","):
            found = _run(name, tools, options.rounds, scratch)
            spreads = [spread_of([one for one in found if one.tool == version]) for version in (BEFORE, NOW)]
            lines.append(line_of(name, spreads[0], spreads[1]))
            figures[name] = dict(zip((BEFORE, NOW), spreads, strict=True))
            for failure in sorted({one.failure for one in found if one.failure}):
                print(f"{name}: {failure}")
        print("\n".join(aligned(lines)))
        print("  CPU of all of weft's processes, a page; medians, and how far the rounds are apart")
        keep_figures("versions", figures)


def _tools(options: argparse.Namespace, scratch: Path) -> list[Tool]:
    if options.flags:
        return [weft(BEFORE), weft(NOW, *shlex.split(options.flags))]
    before = _install(options.before, scratch)
    if not options.without_c:
        return [weft(BEFORE, environment=_at(before)), weft(NOW)]
    now = copy_without_c(PROJECT / "src", scratch / "now")
    return [weft(BEFORE, environment=_at(copy_without_c(before, scratch / "before"))), weft(NOW, environment=_at(now))]


def _at(packages: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(packages)}


def copy_without_c(packages: Path, copy: Path) -> Path:
    """A copy of weft as it is where no C compiler was found: each of its parts in C has a twin in Python."""
    shutil.copytree(packages / "weft", copy / "weft", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    _command(sys.executable, "-m", "compileall", "-q", str(copy))
    return copy


def _run(name: str, tools: list[Tool], rounds: int, scratch: Path) -> list[Round]:
    caps = Caps(peer_s=0, slow_peer_s=0, max_pages=None)
    found = []
    with staged(CORPORA[name], scratch) as stage:
        for number in range(rounds):
            for tool in tools if number % 2 else reversed(tools):  # neither is always the first
                found.append(run_once(stage, tool, caps, scratch))
                say(f"{name}: {described(found[-1])}")
    return found


def _install(revision: str, scratch: Path) -> Path:
    """The package as of a revision, with its C parts, in a folder to be put on Python's path."""
    source, wheels, installed = (scratch / part for part in ("source", "wheels", "installed"))
    packed = _command("git", "-C", str(PROJECT), "archive", revision)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python knows no filters
        archive.extractall(source)
    pip = ["python3", "-m", "pip", "--python", sys.executable, "--disable-pip-version-check", "-q"]
    _command(*pip, "wheel", "--no-deps", "-w", str(wheels), str(source))
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    _command(sys.executable, "-m", "compileall", "-q", str(installed))
    return installed


def _command(*words: str) -> bytes:
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"bench: {' '.join(words)} failed: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.versions", description=__doc__)
    parser.add_argument("--before", default="HEAD~1", metavar="REVISION", help="default: HEAD~1")
    parser.add_argument("--flags", default="", metavar="FLAGS", help="instead: what these flags of weft cost")
    parser.add_argument("--without-c", action="store_true", help="compare both as they are without a C compiler")
    parser.add_argument("--corpus", default="a,b", metavar="a,b,…", help="default: a,b")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of each version; default: 5")
    parser.add_argument("--keep", action="store_true", help="keep logs and pages")
    options = parser.parse_args()
    if options.flags and options.without_c:
        parser.error("--without-c is for two versions, not for flags")
    if unknown := set(options.corpus.split(",")) - CORPORA.keys():
        parser.error(f"there is no corpus {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    main()
