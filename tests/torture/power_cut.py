"""Power cuts over the database, the archive and items.jsonl: `python -m tests.torture --only power-cut`.

    crawl under strace ──▶ trace ──▶ at a random moment, the disk as a power cut may leave it ──▶ resume ──▶ judged
                                                        ▲                                           │
                                                        └────────── traced, and cut again ◀─────────┘

One trace gives several disks. What the crawl had acknowledged at the moment is read from what it had written when
the last sync of the database began that had ended by then.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from tests.pipeline.crawling import quick_config
from tests.pipeline.engine_process import weft_environment
from tests.scratch import scratch_folder
from tests.torture.judging import EXTRACTOR
from tests.torture.lossy_fs import CutTo, Fate, File, Folder, LossyDisk, all_kept, all_lost
from tests.torture.options import Options
from tests.torture.power_cut_database import Counts, cut_database, report
from tests.torture.power_cut_judge import Acknowledged, judge, read_acknowledged
from tests.torture.power_cut_results import FATES, Moment, Pairing, Results
from tests.torture.power_cut_trace import SYNCS, Call, Player, ProgramFailed, TracedProcess, calls_in
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Delayed, Fixed

RUN_S = (0.0, 4.0)  # from the first record to the last moment at which the power is cut
BEGINNING_S = (0.3, 2.0)  # from the start to that moment, sometimes
SHARE_CUT_AT_THE_BEGINNING = 0.15
SHARE_TO_THE_END = 0.15
NEEDED_TO_RESUME = ("crawl/state/config.json", "crawl/state/db/CURRENT")
POLL_S = 0.02
IMAGES_A_TRACE = 5
MOST_CUTS_IN_A_ROW = 4
SHARE_CUT_AGAIN = 0.4
FINISH_WITHIN_S = 120.0
KEPT_IMAGES = 5  # of crawls that went wrong
MOST_MINUTES = 10.0
AT_ONCE = 3  # a crawl waits for its servers most of the time


TWINS_HOST = "twins.example"
TWINS = 20


def web_of(seed: int) -> SimProcess:
    """A small web, slow enough for some syncs; some of its pages have the same body, which is archived once."""
    spec = WebSpec(hosts=20, pages=500, seed=seed, reset_share=0.02, latency_ms=(5, 60), page_bytes=3000)
    links = "".join(f'<a href="/{number}">x</a>' for number in range(TWINS))
    twin = Delayed(0.3, Fixed(b"<!DOCTYPE html><title>twin</title>" + b"<p>the same again" * 40))
    custom: dict[tuple[str, str], Behaviour] = {(TWINS_HOST, f"/{number}"): twin for number in range(TWINS)}
    return SimProcess(spec, {(TWINS_HOST, "/"): Fixed(links.encode()), **custom})


def status_of(sim: SimProcess) -> dict[str, int]:
    """All that a crawl must get."""
    twins = ["/", *(f"/{number}" for number in range(TWINS))]
    return sim.web.truth().status | {sim.web.url(TWINS_HOST, path): 200 for path in twins}


def is_wal(path: PurePosixPath) -> bool:
    """Whether this is the database's log."""
    return path.parent.name == "db" and path.suffix == ".log"


def is_warc(path: PurePosixPath) -> bool:
    """Whether this is a file of the archive."""
    return path.parent.name == "archive"


class CutFates:
    """Who loses what in one cut: the pairing says it for log and archive, chance for everything else."""

    def __init__(self, pairing: Pairing, chance: random.Random) -> None:
        self.wal, self.warc = pairing
        self._chance = chance

    def __call__(self, path: PurePosixPath, node: File | Folder) -> Fate:
        """The fate of one file or folder."""
        if isinstance(node, File) and is_wal(path):
            return self.wal
        if isinstance(node, File) and is_warc(path):
            return self.warc
        if (path.name == "db" and self.wal == "full") or (path.name == "archive" and self.warc == "full"):
            return "full"  # a file is not all there without its name
        return self._chance.choice(FATES)


@dataclass(slots=True)
class Recording:
    """One traced run."""

    base: Path  # the disk before it
    root: Path  # where it ran
    calls: list[Call]
    verb: str
    has_ended: bool

    def player(self) -> Player:
        """A disk as it was at the beginning."""
        return Player(LossyDisk(self.base), self.root)


class PowerCuts:
    """Crawls one synthetic web again and again, with the power going off in between."""

    def __init__(self, scratch: Path, sim: SimProcess, results: Results, chance: random.Random, keep: Path) -> None:
        self._scratch = scratch
        self._results = results
        self._chance = chance
        self._keep = keep
        self._number = 0
        self._status = status_of(sim)
        self._config = scratch / "config.json"
        seeds = (sim.web.url(TWINS_HOST, "/"), *sim.seeds)
        config = quick_config(sim, seeds=seeds, extractors=(EXTRACTOR,), workers=2, connections_per_host=2)
        self._config.write_bytes(msgspec.json.encode(config))

    def run(self, until: float) -> None:
        """One first crawl, and what follows from it."""
        empty = self._new_place()
        empty.mkdir()
        self._go_on_from(empty, "create", Acknowledged(), 0, until)

    def _go_on_from(self, base: Path, verb: str, promised: Acknowledged, cuts: int, until: float) -> None:
        """Crawl on from a disk, cut the power at some moments, and follow each of the disks that are left."""
        recording = self._record(base, verb)
        images = IMAGES_A_TRACE if not cuts else 2
        for moment, image, acknowledged in self._cut(recording, images):
            if time.monotonic() > until:
                break
            line = self._results.line(moment)
            line.disks += 1
            line.acknowledged += len(acknowledged.pages)
            all_promised = promised.and_then(acknowledged)
            next_verb = "resume"
            if not (image / "crawl/state/config.json").is_file() and not all_promised.pages:
                next_verb = "create"
                line.begun_anew += 1
            again = cuts + 1 < MOST_CUTS_IN_A_ROW and self._chance.random() < SHARE_CUT_AGAIN
            kept = self._copy(image)
            try:
                if again:
                    self._go_on_from(image, next_verb, all_promised, cuts + 1, until)
                else:
                    self._finish(image, next_verb)
                    verdict = judge(image / "crawl", self._status, all_promised)
                    self._results.in_a_row[cuts + 1] += 1
                    line.verdict.update(verdict.counts())
                    if not verdict.is_good():
                        self._fault(kept, moment, "\n    ".join(verdict.notes[:8]))
            except ProgramFailed as failure:
                line.unopened += 1
                self._fault(kept, moment, str(failure))
            shutil.rmtree(image, ignore_errors=True)
            shutil.rmtree(kept, ignore_errors=True)
        shutil.rmtree(recording.base)
        shutil.rmtree(recording.root)

    def _record(self, base: Path, verb: str) -> Recording:
        root = self._copy(base)
        trace = self._scratch / "trace"
        process = TracedProcess(self._command(verb, root), trace)
        try:
            kind = self._chance.random()
            if kind < SHARE_CUT_AT_THE_BEGINNING:
                has_ended = process.wait(self._chance.uniform(*BEGINNING_S))
            elif kind > 1 - SHARE_TO_THE_END:
                has_ended = process.wait(FINISH_WITHIN_S)
            else:
                has_ended = self._wait_for_records(process, root) or process.wait(self._chance.uniform(*RUN_S))
        except ProgramFailed:
            shutil.rmtree(root)
            raise
        if not has_ended:
            process.kill()
        recording = Recording(base, root, list(calls_in(trace, root)), verb, has_ended)
        trace.unlink()
        if has_ended:
            self._look_at_the_end(recording)
        return recording

    def _wait_for_records(self, process: TracedProcess, root: Path) -> bool:
        """Until the archive grows; True if the crawl ends before."""
        before = _archive_bytes(root)
        give_up_at = time.monotonic() + FINISH_WITHIN_S
        while _archive_bytes(root) <= before and time.monotonic() < give_up_at:
            if process.wait(POLL_S):
                return True
        return False

    def _look_at_the_end(self, recording: Recording) -> None:
        """Without a power cut, the disk that the trace gives is the real one; and what was made for users is safe."""
        player = recording.player()
        for call in recording.calls:
            player.play(call)
        image = self._new_place()
        image.mkdir()
        player.disk.write_image(image, all_kept, self._chance)
        written = _files_in(image)
        assert written == _files_in(recording.root), "the trace does not tell what the crawl wrote"
        shutil.rmtree(image)
        image.mkdir()
        player.disk.write_image(image, all_lost, self._chance)
        safe = _files_in(image)
        self._results.ends += 1
        self._results.faults += [
            f"{name} is not safe when the crawl has ended"
            for name, content in written.items()
            if (not name.startswith("crawl/state/") or name in NEEDED_TO_RESUME) and safe.get(name) != content
        ]
        shutil.rmtree(image)

    def _cut(self, recording: Recording, images: int) -> Iterator[tuple[Moment, Path, Acknowledged]]:
        """Disks at random moments of a run, with what the crawl had acknowledged by then."""
        with_choice, syncs = _survey(recording)
        if recording.verb == "resume":
            self._results.faults += _faults_of_order(recording, syncs)
        for _ in range(images):
            moment = self._moment(recording, with_choice)
            begun = max((begin for begin, end in syncs if end < moment.at), default=None)
            player = recording.player()
            acknowledged = Acknowledged()
            for number, call in enumerate(recording.calls[: moment.at]):
                if number == begun:
                    acknowledged = self._acknowledged(player)
                player.play(call)
            image = self._new_place()
            image.mkdir()
            player.disk.write_image(image, CutFates(moment.pairing, self._chance), self._chance)
            yield moment, image, acknowledged

    def _moment(self, recording: Recording, with_choice: list[int]) -> Moment:
        pairing = self._results.least_seen(self._chance)
        kind = self._chance.random()
        if with_choice and kind < 0.7:
            return Moment(self._chance.choice(with_choice), pairing, is_real=True)
        at = self._chance.randint(0, len(recording.calls))
        steps = [n for n, call in enumerate(recording.calls) if call.name.encode() in SYNCS or "rename" in call.name]
        if steps and kind < 0.9:  # close to where something is made safe
            at = max(0, min(len(recording.calls), self._chance.choice(steps) + self._chance.randint(-2, 3)))
        return Moment(at, pairing, is_real=at in set(with_choice))

    def _acknowledged(self, player: Player) -> Acknowledged:
        view = self._new_place()
        view.mkdir()
        player.disk.write_image(view, all_kept, self._chance)
        acknowledged = read_acknowledged(view / "crawl")
        shutil.rmtree(view)
        return acknowledged

    def _finish(self, image: Path, verb: str) -> None:
        """Crawl to the end, without strace and without a power cut."""
        ended = subprocess.run(
            self._command(verb, image), env=weft_environment(), stderr=subprocess.PIPE, timeout=FINISH_WITHIN_S
        )
        if ended.returncode:
            raise ProgramFailed(ended.stderr.decode(errors="replace"))

    def _command(self, verb: str, root: Path) -> list[str]:
        module = "tests.torture.power_cut_engine"
        return [sys.executable, "-m", module, verb, str(root / "crawl"), str(self._config)]

    def _fault(self, image: Path, moment: Moment, what: str) -> None:
        number = len(self._results.faults)
        self._results.faults.append(f"{moment}\n    {what}")
        if number < KEPT_IMAGES:
            shutil.copytree(image, self._keep / f"disk-{number}", dirs_exist_ok=True)

    def _new_place(self) -> Path:
        self._number += 1
        return self._scratch / f"disk-{self._number}"

    def _copy(self, disk: Path) -> Path:
        place = self._new_place()
        shutil.copytree(disk, place)
        return place


def _survey(recording: Recording) -> tuple[list[int], list[tuple[int, int]]]:
    """Moments at which both log and archive have something to lose; beginnings and ends of syncs of the log."""
    player = recording.player()
    with_choice: list[int] = []
    syncs: list[tuple[int, int]] = []
    begun: dict[bytes, int] = {}
    for number, call in enumerate(recording.calls):
        if _has_unsynced(player.disk, "state/db", is_wal) and _has_unsynced(player.disk, "archive", is_warc):
            with_choice.append(number)
        if call.name.encode() in SYNCS and (path := player.path_of(call)) is not None and is_wal(path):
            if call.is_begun and _is_last_log(player.disk, path):
                begun[call.pid] = number
            if call.is_ended and call.pid in begun:
                syncs.append((begun.pop(call.pid), number))
        player.play(call)
    return with_choice, syncs


def _is_last_log(disk: LossyDisk, path: PurePosixPath) -> bool:
    """Whether all that is written so far is in this log or older ones. Its number is its name."""
    logs = (name for name, node in disk.folder_of(path).now.items() if name.endswith(".log") and _is_used(node))
    return path.name >= max(logs, default="")


def _is_used(node: File | Folder) -> bool:
    return isinstance(node, File) and bool(node.safe or node.changes)


def _faults_of_order(recording: Recording, syncs: list[tuple[int, int]]) -> list[str]:
    """Before a resumed crawl writes where something was cut off, the cut and the rows that follow from it are safe.

    Otherwise another power cut could bring back an old row, or an old record, that fits what is new by its length.
    """
    player = recording.player()
    for number, call in enumerate(recording.calls):
        path = player.path_of(call) if call.name == "write" else None
        if path is not None and is_warc(path):
            faults = []
            file = player.disk.find(path)
            if isinstance(file, File) and any(isinstance(change, CutTo) for change in file.changes):
                faults.append(f"{path} is written to before the sync of what was cut off")
            if not any(end < number for _, end in syncs):
                faults.append(f"{path} is written to before the rows of the recovery are safe")
            return faults
        player.play(call)
    return []


def _has_unsynced(disk: LossyDisk, folder: str, belongs: Callable[[PurePosixPath], bool]) -> bool:
    node = disk.find(PurePosixPath("crawl", folder))
    if not isinstance(node, Folder):
        return False
    return any(
        isinstance(file, File) and file.unsynced_bytes() > 1 and belongs(PurePosixPath(folder, name))
        for name, file in node.now.items()
    )


def _archive_bytes(root: Path) -> int:
    total = 0
    for path in (root / "crawl" / "archive").glob("*"):
        with suppress(FileNotFoundError):  # renamed meanwhile
            total += path.stat().st_size
    return total


def _files_in(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def run(options: Options) -> bool:
    """Cut the power for so many minutes, and print what came of it."""
    if shutil.which("strace") is None:
        print("there is no strace here; `apt-get install strace` brings it")
        return False
    until = time.monotonic() + min(options.minutes, MOST_MINUTES) * 60
    results = Results()
    keep = Path(tempfile.gettempdir()) / f"weft-power-cut-{os.getpid()}"
    counts = Counts()
    with ThreadPoolExecutor(AT_ONCE + 1) as threads:
        database = threads.submit(_cut_database_until, until, options.seed, counts)
        runs = [threads.submit(_cut_until, until, options.seed + n, results, keep / str(n)) for n in range(AT_ONCE)]
    for each in (database, *runs):
        each.result()
    print(report(counts), end="\n\n")
    print(results.table())
    for fault in results.faults:
        print("FAULT", fault)
    if results.faults:
        print(f"disks after the cut are kept in {keep}")
    return results.is_good() and counts.is_good()


def _cut_database_until(until: float, seed: int, counts: Counts) -> None:
    while time.monotonic() < until:
        with scratch_folder() as scratch:
            cut_database(scratch, counts, random.Random(seed))
        seed += 1


def _cut_until(until: float, seed: int, results: Results, keep: Path) -> None:
    """One web after the other."""
    while time.monotonic() < until:
        with scratch_folder() as scratch, web_of(seed) as sim:
            PowerCuts(scratch, sim, results, random.Random(seed), keep).run(until)
        seed += AT_ONCE
