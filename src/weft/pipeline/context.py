"""What all parts of a running crawl share."""

from __future__ import annotations

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.folder.crawl_log import CrawlLog
from weft.pipeline.loop import Loop
from weft.state import State
from weft.stats import Counters


class Context(msgspec.Struct, frozen=True):
    """One for each run."""

    config: CrawlConfig
    clock: Clock
    state: State
    counters: Counters
    log: CrawlLog
    loop: Loop = msgspec.field(default_factory=Loop)
