"""A crawl that a program runs: its beginning, what is wrong and its end are in the log, in the command line's words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from weft.api.crawl_failed import CrawlFailed
from weft.api.log_records import end_figures, end_words, log_begin, log_end, seeds_in_words
from weft.api.patterns import doubtful_hosts, doubtful_patterns, vain_patterns
from weft.api.summary import crawl_to_end
from weft.api.trouble import SeedTroubles
from weft.api.wording import last_word, way_on, when_the_disk_is_full
from weft.errors import BadInput, DiskFull, FolderError, WeftError, in_words
from weft.folder.reading import CrawlReader
from weft.in_thread import in_thread
from weft.live.summary import Summary
from weft.logs import logger
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery
from weft.pipeline.engine import Ending

_warn = partial(logger("crawl").warning, "%s")
_warn_of_seeds = partial(logger("seeds").warning, "%s")
# The endings that are errors, by the names that exit codes have; the first that fits.
_ENDINGS = ((DiskFull, "disk-full"), (FolderError, "folder"), (BadInput, "bad-input"))


async def told_run(
    crawl: Crawl, delivery: Delivery | None = None, *, is_kept: bool = True, allow_empty: bool = False
) -> Summary:
    """Run a crawl to its end. CrawlFailed if not one page came, unless that is allowed.

    A folder that is not kept is not resumed, so nothing is said of that.
    """
    begin_telling(crawl)
    try:
        summary = await crawl_to_end(crawl, delivery)
    except DiskFull as error:
        if not is_kept:
            raise
        raise when_the_disk_is_full(error, crawl, way_on(crawl)) from error
    ending = Ending(summary.exit)
    if ending is Ending.DONE and (crawl.config.include or crawl.config.exclude):
        for sentence in await in_thread(_vain_patterns, crawl):
            _warn(sentence)
    words = last_word(crawl, ending, is_kept=is_kept)
    is_failure = ending is Ending.SEEDS_FAILED and not allow_empty
    level = logging.INFO if ending is Ending.SEEDS_FAILED and allow_empty else None
    figures = {"folder": str(crawl.folder.path.absolute()), **end_figures(summary)}
    log_end(ending.value, end_words(summary, words), figures, level=level)
    if is_failure:
        raise CrawlFailed(words, summary)
    return summary


def begin_telling(crawl: Crawl) -> None:
    """A crawl begins: what is known to be wrong is told now, what its seeds suffer as soon as it is known."""
    crawl.on_failure = SeedTroubles(crawl.config, _warn_of_seeds).hear
    log_begin(seeds_in_words(crawl.config.seeds), crawl.folder.path)
    for sentence in (*doubtful_patterns(crawl.config), *doubtful_hosts(crawl.config)):
        _warn(sentence)


def _vain_patterns(crawl: Crawl) -> list[str]:
    with CrawlReader(crawl.folder.path) as reader:
        return list(vain_patterns(crawl.config, crawl.counters.refused, reader.rows()))


@contextmanager
def errors_logged() -> Iterator[None]:
    """An error that ends the crawl in this block is in the log, too. One that a person can fix is one of weft's."""
    try:
        yield
    except (CrawlFailed, asyncio.CancelledError):  # whoever raised or cancelled knows more
        raise
    except WeftError as error:
        log_end(ending_of(error), str(error))
        raise
    except (OSError, RuntimeError) as error:
        if (told := in_words(error)) is None:
            _log_unexpected(error)
            raise
        log_end(ending_of(told), str(told))
        raise told from error
    except Exception as error:
        _log_unexpected(error)
        raise


def ending_of(error: WeftError) -> str:
    """The name of an ending."""
    return next((name for kind, name in _ENDINGS if isinstance(error, kind)), "failed")


def _log_unexpected(error: Exception) -> None:
    log_end("failed", f"An error that weft did not expect: {error!r}; what was finished is kept.", error=error)
