"""Power cuts over the database alone, while it flushes, compacts and changes its log, which a short crawl never does.

`python -m tests.torture.power_cut_database DATABASE NOTES` writes numbered batches, syncs now and then, and notes the
number of the last batch after each sync: so much is acknowledged. After a cut the database must open, with every batch
up to some number, whole, and none after it; and that number is not smaller than what was acknowledged.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.torture.lossy_fs import File, Folder, LossyDisk
from tests.torture.power_cut_results import FATES
from tests.torture.power_cut_trace import Call, Player, TracedProcess, calls_in, in_hex
from tests.torture.table import table
from weft.errors import WeftError
from weft.state import State

BATCHES = 1500  # of one run: 18 MB, two flushes and a change of the log
VALUE_BYTES = 12_000
QUEUED = 10  # as many rows are in the queue at a time
SYNC_EVERY = 100
IMAGES = 6
RUNS_IN_A_ROW = 3
WITHIN_S = 120.0
SHARE_IN_FLUSHES = 0.7
OF_FLUSHES = [in_hex(name) for name in (".sst", "MANIFEST", "CURRENT", "OPTIONS")]
DATABASE = PurePosixPath("crawl/state/db")
ACKNOWLEDGED = PurePosixPath("acknowledged")


def main() -> None:
    """Go on from the last batch that is there."""
    state = State(Path(sys.argv[1]))
    first = last_batch(state) + 1
    notes = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for number in range(first, first + BATCHES):
        batch = state.batch()
        batch.put("page", _key(number), _value(number))
        batch.put("queue", _key(number), b"")
        if number > QUEUED:
            batch.delete("queue", _key(number - QUEUED))
        batch.put("meta", b"last", _key(number))
        state.write(batch)
        if number % SYNC_EVERY == 0:
            state.sync()
            os.write(notes, b"%d\n" % number)
    state.close()


def last_batch(state: State) -> int:
    """The number of the last batch."""
    return int.from_bytes(state.get("meta", b"last") or b"", "big")


def _key(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _value(number: int) -> bytes:
    return hashlib.shake_128(_key(number)).digest(VALUE_BYTES)


@dataclass(slots=True)
class Counts:
    """What came of all cuts."""

    disks: int = 0
    during_flushes: int = 0  # an SST file was half made or not safe yet
    acknowledged: int = 0  # batches
    lost: int = 0
    torn: int = 0  # databases in which batches are missing or not whole
    unopened: int = 0

    def is_good(self) -> bool:
        """Whether nothing is wrong, and something was tried."""
        return bool(self.acknowledged and self.during_flushes) and not (self.lost or self.torn or self.unopened)


def cut_database(scratch: Path, counts: Counts, chance: random.Random) -> None:
    """Some runs in a row, each from a disk that a cut in the run before has left."""
    base = scratch / "base"
    (base / DATABASE.parent).mkdir(parents=True)
    acknowledged = 0
    for _ in range(RUNS_IN_A_ROW):
        calls = _record(base, scratch, chance)
        for number in range(IMAGES):
            image = scratch / f"image-{number}"
            image.mkdir()
            at_cut = max(acknowledged, _cut(base, scratch, calls, image, counts, chance))
            counts.disks += 1
            counts.acknowledged += at_cut
            _judge(image / DATABASE, at_cut, counts)
        shutil.rmtree(base)
        image.rename(base)
        acknowledged = at_cut
        for number in range(IMAGES - 1):
            shutil.rmtree(scratch / f"image-{number}")


def _record(base: Path, scratch: Path, chance: random.Random) -> list[Call]:
    root = scratch / "root"
    shutil.copytree(base, root)
    command = [sys.executable, "-m", "tests.torture.power_cut_database", str(root / DATABASE), str(root / ACKNOWLEDGED)]
    process = TracedProcess(command, scratch / "trace")
    if not process.wait(WITHIN_S if chance.random() < 0.5 else chance.uniform(1, 6)):
        process.kill()
    calls = list(calls_in(scratch / "trace", root))
    shutil.rmtree(root)
    return calls


def _cut(base: Path, scratch: Path, calls: list[Call], image: Path, counts: Counts, chance: random.Random) -> int:
    """Make the disk of a random moment; gives the last batch that was acknowledged."""
    player = Player(LossyDisk(base), scratch / "root")
    flushes = [number for number, call in enumerate(calls) if any(name in call.arguments for name in OF_FLUSHES)]
    at = chance.randint(0, len(calls))
    if flushes and chance.random() < SHARE_IN_FLUSHES:
        at = min(len(calls), chance.choice(flushes) + chance.randint(0, 3))
    for call in calls[:at]:
        player.play(call)
    folder = player.disk.find(DATABASE)
    if isinstance(folder, Folder):
        tables = (file for name, file in folder.now.items() if name.endswith(".sst") and isinstance(file, File))
        counts.during_flushes += any(file.changes for file in tables)
    player.disk.write_image(image, lambda path, node: chance.choice(FATES), chance)
    (image / ACKNOWLEDGED).unlink(missing_ok=True)  # the next run begins its own
    return _acknowledged(player.disk)


def _acknowledged(disk: LossyDisk) -> int:
    """What the program has noted so far, on a disk that loses nothing."""
    node = disk.find(ACKNOWLEDGED)
    return int(node.full().split()[-1]) if isinstance(node, File) and node.changes else 0


def _judge(database: Path, acknowledged: int, counts: Counts) -> None:
    try:
        state = State(database)
    except WeftError as error:
        counts.unopened += 1
        print(f"FAULT {error}")
        return
    try:
        last = last_batch(state)
        pages = dict(state.scan("page"))
        queued = [int.from_bytes(key, "big") for key, _ in state.scan("queue")]
    finally:
        state.close()
    counts.lost += max(0, acknowledged - last)
    is_whole = pages == {_key(number): _value(number) for number in range(1, last + 1)}
    if not is_whole or queued != [*range(max(1, last - QUEUED + 1), last + 1)]:
        counts.torn += 1
        print(f"FAULT {last} batches, {len(pages)} pages, queued {queued}")


def report(counts: Counts) -> str:
    """The table."""
    names = [*Counts.__slots__]
    row = ["database alone", *(getattr(counts, name) for name in names)]
    return table(["", *(name.replace("_", " ") for name in names)], [row])


if __name__ == "__main__":
    main()
