"""weft and other cleaners in turn on the same pages, each on one core, in rounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from bench.clean.contestant import Job, JobRules
from bench.clean.likeness import Likeness, like
from bench.clean.pages import Corpus
from bench.measure import CommandFailed, die_with_parent
from bench.record import say
from weft.clean import PRESETS

ROOT = Path(__file__).parents[2]
AT_LEAST_S = 0.4
PEERS_SAY = {  # what each output is, in the tables' words
    "paper": "cleaned HTML, the paper's rules",
    "safe": "cleaned HTML, safe to show",
    "text": "the page's text",
    "article": "the main article",
}
HTML_OUTPUTS = ("paper", "safe")


class Turned(msgspec.Struct, frozen=True):
    """What a contestant tells of a turn."""

    pages: int
    seconds: float
    cpu_s: float


class Entry(msgspec.Struct, frozen=True):
    """A cleaner's best round, and how like weft's its output is."""

    output: str
    tool: str
    pages_per_s: float
    cpu_ms: float
    likeness: Likeness


class Contestant:
    """A process that cleans when it is its turn."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.cleaners: list[str] = json.loads(self._line())

    def turn(self, cleaner: str, keep_in: Path) -> Turned:
        """Let one of its cleaners clean all pages."""
        assert self._process.stdin
        asked = {"cleaner": cleaner, "seconds": AT_LEAST_S, "keep_in": str(keep_in)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return msgspec.json.decode(self._line(), type=Turned)

    def _line(self) -> str:
        assert self._process.stdout
        if line := self._process.stdout.readline():
            return line
        raise CommandFailed(f"{self._process.args!r} ended with {self._process.wait()}")


def job_of(corpus: Corpus, pages: int) -> Job:
    """The first pages, with weft's rules for all."""
    rules = {name: JobRules(kill=list(rules.kill), unwrap=list(rules.unwrap)) for name, rules in PRESETS.items()}
    return Job(pages=[page.content for page in corpus.repeated(min(pages, len(corpus.pages)))], rules=rules)


def run_contest(corpus: Corpus, pages: int, rounds: int, peers: Path, scratch: Path) -> list[Entry]:
    """All cleaners, round by round, weft's own first in each output."""
    job_file = scratch / "job.json"
    job_file.write_text(json.dumps(job_of(corpus, pages)))
    turns: dict[str, list[Turned]] = {}
    with ExitStack() as stack:
        ours = stack.enter_context(_contestant(sys.executable, "bench.clean.weft_cleaners", job_file))
        theirs = stack.enter_context(_contestant(str(peers / "bin/python"), "bench.clean.peer_cleaners", job_file))
        for number in range(rounds):
            for output in PEERS_SAY:
                for contestant, name in in_turn(output, ours, theirs):
                    turned = contestant.turn(name, scratch / f"{name}.json")
                    turns.setdefault(name, []).append(turned)
                    say(f"round {number + 1}: {name}: {turned.pages / turned.seconds:,.0f} pages/s")
    return [_entry(name, found, scratch) for name, found in turns.items()]


def in_turn(output: str, ours: Contestant, theirs: Contestant) -> Iterator[tuple[Contestant, str]]:
    """Who cleans to one output."""
    yield ours, output
    yield from ((theirs, name) for name in theirs.cleaners if output_of(name) == output)


def output_of(name: str) -> str:
    """A cleaner is called by its output, and then by its library."""
    return name.partition(", ")[0]


def _entry(name: str, turns: list[Turned], scratch: Path) -> Entry:
    output, _, tool = name.partition(", ")
    ours, theirs = (json.loads((scratch / f"{which}.json").read_text()) for which in (output, name))
    return Entry(
        output=output,
        tool=tool or "weft",
        pages_per_s=max(turn.pages / turn.seconds for turn in turns),
        cpu_ms=min(1000 * turn.cpu_s / turn.pages for turn in turns),
        likeness=like(ours, theirs, is_html=output in HTML_OUTPUTS),
    )


@contextmanager
def _contestant(python: str, module: str, job_file: Path) -> Iterator[Contestant]:
    process = subprocess.Popen(
        [python, "-m", "bench.clean.contestant", module, str(job_file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        preexec_fn=die_with_parent,
    )
    try:
        yield Contestant(process)
    finally:
        process.kill()
        process.wait()
