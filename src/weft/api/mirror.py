"""`weft.mirror`: a site on the disk that works with the network off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from weft.api.log_records import end_figures, end_words, log_end
from weft.api.summary import crawl_to_end
from weft.api.told_run import begin_telling, errors_logged
from weft.api.wording import limit_reached, what_helps, when_the_disk_is_full, why_failed
from weft.config import CrawlConfig
from weft.engines.number import crawl_type
from weft.errors import BadInput, DiskFull
from weft.folder.layout import CRAWL_FOLDER, database_of, load_config
from weft.folder.reading import CrawlReader
from weft.in_thread import Halted, in_thread
from weft.live.summary import Summary
from weft.mirror.site.layout import Standing, standing_of
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.pipeline.seeds import texts, with_seeds_logins
from weft.program import stop_if_only_loaded
from weft.settings.keywords import CrawlSettings
from weft.settings.table import CRAWL_SETTINGS
from weft.settings.values import read_keywords
from weft.state import is_at
from weft.stats import Counters
from weft.stats.verdict import counted
from weft.url import canonicalize, host_of

if TYPE_CHECKING:
    from weft.mirror.site.finish import Placed
    from weft.mirror.site.writers import Writers

DEFAULT_FOLDER = "mirror-HOST"
# A crawl may be told later; a mirror's files would have to follow, and do so when it is updated.
RULES = (
    "scope", "include", "exclude", "rules", "other_hosts", "other_depth", "near", "https_only", "accept"
)  # fmt: skip


class MirrorSummary(Summary):
    """The figures of one run, those of the files among them."""

    files: int
    written: int
    deleted: int
    first: str
    changes: dict[str, int]
    kept_packed: int
    for_example: list[str]
    by_scripts: int
    filled_for_example: list[str]
    not_rewritten: int
    not_rewritten_for_example: list[str]
    damaged: int
    damaged_for_example: list[str]


async def mirror(
    *urls: str, output: str | Path | None = None, update: bool = False, **settings: Unpack[CrawlSettings]
) -> MirrorSummary | None:
    """Save a site for browsing offline: pages and all they need, as files in `output` that link to each other.

    Called again it goes on after a stop of any kind; the URLs may be left out then. With `update` every page is asked
    for again. Returns the figures of the run, or None if the mirror was finished before and there was nothing to do.
    """
    stop_if_only_loaded()
    with errors_logged():
        fields = read_keywords(settings)
        mirroring = Mirroring(Path(output) if output else default_root(urls), urls, fields, fields, update=update)
        if (crawl := mirroring.crawl) is None:
            return None
        begin_telling(crawl)
        with closing(mirroring):
            try:
                crawled = await crawl_to_end(crawl)
            except DiskFull as error:
                raise when_the_disk_is_full(error, crawl, f"`weft mirror -o {mirroring.root}` goes on") from error
            summary = await in_thread(mirroring.finish, crawled)
    words = last_word_of_mirror(crawl, mirroring.root, Ending(summary.exit), summary)
    log_end(summary.exit, end_words(summary, words), end_figures(summary))
    return summary


class Mirroring:
    """One run of a mirror: first its crawl, then its files."""

    def __init__(
        self, root: Path, urls: tuple[str, ...], fields: Mapping[str, Any], changes: Mapping[str, Any], *, update: bool
    ) -> None:
        """Begin a mirror with these fields of its settings, or go on with one that is there, with these changes."""
        folder = root / CRAWL_FOLDER
        self.root = root
        self.standing = standing = standing_of(root)  # before the run
        self.crawl: Crawl | None = None  # there is nothing to do
        if standing is Standing.NONE:
            if not urls:
                raise BadInput(f"there is no mirror in {root} to go on with: give a URL")
            config = _config(urls, fields)
            self.crawl = crawl_type(config).create(folder, config)
        else:
            known = load_config(folder)
            changed = _changed(known, urls, changes, is_update=update)
            if update or changed or standing is not Standing.DONE:
                begins_update = update and standing in (Standing.DONE, Standing.LEFT_FOR_LATER)
                self.crawl = crawl_type(msgspec.structs.replace(known, **changed)).resume(
                    folder, update=begins_update, retry_failed=not begins_update, **changed
                )
        self._before = _counters_of(folder)
        self._writers: Writers | None = None  # since the crawl asks for nothing more, or a little earlier
        self._placed: Placed | None = None  # once files have their names
        if self.crawl is not None:
            self.crawl.on_second = self._look_ahead
            self.crawl.on_crawled = self._crawled

    def finish(self, summary: Summary, progress: Callable[[int], None] = lambda files: None) -> MirrorSummary:
        """Make the files, once the crawl has ended; `progress` hears how many are done."""
        assert self.crawl is not None
        assert self._writers is not None
        from weft.mirror.site.finish import finish_mirror  # not before: the first request does not wait for it

        finished = finish_mirror(
            self.root,
            Ending(summary.exit),
            self._writers,
            self._placed,
            has_parked=bool(self.crawl.parked.count),
            progress=progress,
        )
        figures = msgspec.structs.asdict(self._of_this_run(summary)) | msgspec.structs.asdict(finished)
        return MirrorSummary(**figures)

    def close(self) -> None:
        """End the processes that write, if they are there."""
        if self._writers is not None:
            self._writers.close()

    def _look_ahead(self, queued: int, pages_per_s: float) -> None:
        """Have writers load while the crawl only waits for the last answers; not if it turns out to go on."""
        from weft.mirror.site.writers import are_wanted_soon, go_on_for_long

        assert self.crawl is not None
        pool = self.crawl.worker_pool
        workers = pool.active if pool is not None else 0
        if self._writers is None and are_wanted_soon(self.crawl.counters.pages, queued, pages_per_s, workers):
            with suppress(OSError):  # no process is to be had: perhaps one is when they are needed
                self._start_writers(queued)
            import_module("weft.mirror.site.finish")  # it is needed soon, and now there is time
        elif self._writers is not None and go_on_for_long(queued, pages_per_s):
            self._writers.close()
            self._writers = None

    async def _crawled(self, ending: Ending) -> None:
        """While the crawl's database is open: files get their names.

        A run that is stopped may have no time for it; if it has, it is done later.
        """
        from weft.mirror.site.finish import place_files

        assert self.crawl is not None
        assert self.crawl.state is not None
        self._start_writers()
        crawl, halt = self.crawl, Event()
        with suppress(Halted):
            self._placed = await in_thread(
                place_files,
                crawl.state,
                crawl.folder,
                crawl.config,
                ending,
                lambda: crawl.is_stopping or halt.is_set(),
                halt=halt,
            )

    def _start_writers(self, queued: int = 0) -> None:
        from weft.mirror.site.writers import Writers, writers_for

        assert self.crawl is not None
        if self._writers is None:
            pages = self.crawl.counters.pages + queued
            self._writers = Writers(self.root, writers_for(pages, self.crawl.worker_slots))

    def _of_this_run(self, summary: Summary) -> Summary:
        """A crawl counts since it began; who updates a mirror wants to know what this run has transferred."""
        before = self._before
        return msgspec.structs.replace(
            summary,
            requests=summary.requests - before.requests,
            bytes=summary.bytes - before.bytes,
            retries=summary.retries - before.retries,
            statuses=_more(summary.statuses, before.statuses),
            failed=_more(summary.failed, before.failed),
            refused=_more(summary.refused, before.refused),
        )


def last_word_of_mirror(crawl: Crawl, root: Path, ending: Ending, finished: MirrorSummary) -> str:
    """How a mirror ended, what there is, and what goes on with it."""
    files = f"{counted(finished.files, 'file')} in {root}, new or changed: {finished.written:,}"
    if finished.deleted:
        files += f", gone: {finished.deleted:,}"
    if finished.kept_packed:
        examples = ", ".join(finished.for_example)
        files += f"; not unpacked, because they become too large: {finished.kept_packed:,}, such as {examples}"
    if finished.not_rewritten:
        examples = ", ".join(finished.not_rewritten_for_example)
        files += f"; with links as they came, because weft failed to change them: {finished.not_rewritten:,}"
        files += f", such as {examples}"
    if finished.damaged:
        examples = ", ".join(finished.damaged_for_example)
        files += f"; left out, because the archive is damaged there: {finished.damaged:,}, such as {examples}"
    files += f". Begin with {root / finished.first}" if finished.first else "."
    if finished.by_scripts:
        files += "." * bool(finished.first)
        pages = "page needs" if finished.by_scripts == 1 else "pages need"
        files += f" {finished.by_scripts:,} {pages} scripts that browsers do not run from a disk, such as"
        files += f" {finished.filled_for_example[0]}: `weft serve {root}` shows more of them."
    match ending:
        case Ending.DONE:
            return f"Done. {files}"
        case Ending.SEEDS_FAILED:
            return f"Not one page could be fetched{why_failed(crawl)}.{what_helps(crawl)} The same command tries again."
        case Ending.LIMIT:
            limit, flag = limit_reached(crawl)
            return f"{limit} `weft mirror -o {root}{flag}` goes on. {files}"
        case Ending.INTERRUPTED:
            return f"Stopped. `weft mirror -o {root}` goes on. {files}"


def default_root(urls: tuple[str, ...]) -> Path:
    """Where a mirror goes if nobody says it."""
    if not urls:
        raise BadInput("a mirror needs a URL, or the folder of one to go on with")
    return Path(DEFAULT_FOLDER.replace("HOST", host_of(canonicalize(texts(urls)[0]))))


def _config(urls: tuple[str, ...], fields: Mapping[str, Any]) -> CrawlConfig:
    """The settings of a mirror that begins."""
    return CrawlConfig(seeds=urls, **{"requisites_anywhere": True, **fields, "mirror": True, "requisites": True})


def _changed(known: CrawlConfig, urls: tuple[str, ...], given: Mapping[str, Any], *, is_update: bool) -> dict[str, Any]:
    """What is changed about a mirror that is there; BadInput for what cannot be changed."""
    asked = with_seeds_logins(msgspec.structs.replace(known, seeds=urls, auth=given.get("auth", known.auth)))
    if urls and set(asked.seeds) != set(known.seeds):
        raise BadInput(f"this mirror began with {' '.join(known.seeds)}; another one needs another folder")
    changes = {name: value for name, value in {**given, "auth": asked.auth}.items() if getattr(known, name) != value}
    for setting in CRAWL_SETTINGS:
        if setting.field not in changes:
            continue
        if not setting.on_resume:
            raise BadInput(f"--{setting.name} cannot be changed: a mirror of other pages needs another folder")
        if setting.field in RULES and not is_update:
            raise BadInput(f"--{setting.name} can be changed with --update only: the files have to follow")
    return changes


def _counters_of(folder: Path) -> Counters:
    if not is_at(database_of(folder)):
        return Counters()
    with CrawlReader(folder) as reader:
        return reader.counters


def _more(now: Mapping[str, int], before: Mapping[Any, int]) -> dict[str, int]:
    known = {str(name): count for name, count in before.items()}
    return {name: more for name, count in now.items() if (more := count - known.get(name, 0)) > 0}
