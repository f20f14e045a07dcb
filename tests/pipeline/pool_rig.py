"""A pool of real worker processes without a crawl around it: jobs go in, answers are committed to an archive."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.store.rig import INFO, fetched, headers_of, is_sound
from weft.clock import Clock
from weft.config import CrawlConfig
from weft.pipeline.messages import PageJob, Setup
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.warc_slots import WarcSlots
from weft.pipeline.work import Job
from weft.state import State
from weft.store import Archive, OpenFile
from weft.types import FoundLink, Link, Processed, RefusedLink
from weft.url import url_id

from .crawling import until

LARGE_PAGE = b"<p>" + b"x " * 600_000
CANNOT_START = "WEFT_TEST_WORKERS_CANNOT_START"

Commit = Callable[[], None]


class CannotStartWhenTold:
    """A user's filter that ends its worker before the first job, if the environment says so."""

    def __init__(self) -> None:
        if os.environ.get(CANNOT_START):
            os._exit(9)

    def refuses(self, link: Link) -> bool:
        """Nothing against any link."""
        return False


class PoolRig:
    """The pool, what it was given, and what came back."""

    def __init__(self, folder: Path, *, slots: int, active: int, clock: Clock | None, rotate_at_bytes: int) -> None:
        (folder / "archive").mkdir()
        self.log = folder / "logs" / "workers.log"
        self.log.parent.mkdir()
        self.state = State(folder / "db")
        self.folder = folder / "archive"
        self.archive = Archive(self.state, self.folder, Clock(), rotate_at_bytes)
        self.given: list[str] = []
        self.done: list[str] = []
        self.slots_of: dict[str, int] = {}  # who did what, by URL
        self.set_aside: list[str] = []
        self.hung_hosts: list[str] = []
        self.after_commit: Commit = lambda: None
        self._ends: dict[int, int] = {}
        files = WarcSlots(self.archive, self._setup)
        self.workers = ParseWorkers[str](files, self.log, slots, clock or Clock())
        self.pool = self.workers.pool
        self.pool.sleep = lambda seconds: asyncio.sleep(0.05)
        self.pool.resize(active)

    def submit(self, count: int, body: bytes = b"") -> None:
        """Give the pool so many pages more; those made here have a hundred links."""
        for number in range(len(self.given), len(self.given) + count):
            url = f"http://a.example/{number}"
            page = body or b"".join(b'<p><a href="/%d/%d">x</a>' % (number, link) for link in range(100))
            self.given.append(url)
            self.workers.submit(Job(PageJob(Link(url, 1), fetched(url, page)), url))

    async def all_done(self) -> None:
        """Wait for the answers to everything given."""
        await until(lambda: len(self.done) == len(self.given) or bool(self.set_aside))
        assert not self.set_aside
        assert self.workers.unfinished() == self.workers.waiting() == 0

    async def are_ready(self, count: int) -> None:
        """Wait until so many workers take jobs, and no process is left of others."""
        await until(lambda: self.pool.reading().ready == count == len(self.pool.pids()))

    def assert_archive_is_whole(self) -> None:
        """Once the archive is finished: what was committed is there once, and nothing else."""
        paths = sorted(self.folder.iterdir())
        assert [path.name for path in paths if path.suffix != ".gz"] == []
        assert all(map(is_sound, paths))
        records = [record for path in paths for record in headers_of(path)]
        archived = [record["WARC-Target-URI"] for record in records if record["WARC-Type"] in ("response", "revisit")]
        assert sorted(archived) == sorted(self.done)
        # Each worker that goes on in a file leaves it as it is: one warcinfo stands at its beginning.
        assert sum(record["WARC-Type"] == "warcinfo" for record in records) == len(paths)

    def _setup(self, file: OpenFile) -> Setup:
        config = CrawlConfig(scope="any", filters=(f"{__name__}:CannotStartWhenTold",))
        return Setup(config, [], file, INFO)

    def found(self, links: list[FoundLink], refused: list[RefusedLink]) -> None:
        pass

    def poisoned(self, job: Job[str], processed: Processed | None) -> None:
        self.set_aside.append(job.subject)

    def processed(self, answers: list[tuple[Job[str], Processed]]) -> None:
        batch = self.state.batch()
        for job, processed in answers:
            location = processed.location
            assert location is not None
            assert location.offset >= self._ends.get(location.file, 0), "answers come in the order of their file"
            self._ends[location.file] = location.end
            self.archive.commit(batch, location, url_id(job.subject))
            self.done.append(job.subject)
            slot, _ = self.archive.place_of(location.file)
            assert slot is not None
            self.slots_of[job.subject] = slot
        self.archive.seal(batch)
        self.state.write(batch)
        self.after_commit()


@asynccontextmanager
async def pool_rig(
    folder: Path, *, slots: int, active: int, clock: Clock | None = None, rotate_at_bytes: int = 1_000_000_000
) -> AsyncIterator[PoolRig]:
    """A pool at work. At the end it is closed as a crawl closes it, and the archive is finished and looked at."""
    rig = PoolRig(folder, slots=slots, active=active, clock=clock, rotate_at_bytes=rotate_at_bytes)
    try:
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(rig.workers.run(rig, rig.hung_hosts.append))
            try:
                yield rig
            finally:
                running.cancel()
    finally:
        await rig.pool.close()
        rig.archive.retire_all()
        await rig.archive.sync()
        rig.state.close()
    rig.assert_archive_is_whole()
