"""A command is carried out and logged once, whatever goes wrong in its middle."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from weft.config import CrawlConfig
from weft.errors import DiskFull
from weft.folder.crawl_log import CrawlLog
from weft.live.commands import SetRate
from weft.live.mailbox import put_command
from weft.live.obeying import Obeying
from weft.pipeline.crawl import Crawl


class FullDisk:
    """A steering whose disk is full after the first line of the log, until it has been told so."""

    def __init__(self, log: CrawlLog) -> None:
        self.log = log
        self.is_full = True
        self.rates: list[float | None] = []

    def set_rate(self, pages_per_s: float | None) -> None:
        self.rates.append(pages_per_s)

    def note(self, number: str, words: str, *, unless_noted: bool) -> float | None:
        if unless_noted and self.log.has_command(number):
            return None
        self.log.command(number, words, 0.0)
        if self.is_full:
            self.is_full = False
            raise DiskFull("cannot write crawl.log: the disk is full")
        return 0.0


def test_a_command_whose_line_could_not_be_synced_at_first_is_logged_once(tmp_path: Path) -> None:
    crawl: Any = Crawl.create(tmp_path / "crawl", CrawlConfig(seeds=("http://a.test/",)))
    crawl.folder.close()
    log = CrawlLog(tmp_path / "crawl" / "crawl.log", ())
    steering = FullDisk(log)
    steered = cast("Crawl", type("Steered", (), {"folder": crawl.folder, "steering": steering})())
    obeying = Obeying(steered)
    put_command(tmp_path / "crawl", SetRate(5.0))
    with pytest.raises(DiskFull):
        obeying.carry_out()
    obeying.carry_out()
    obeying.carry_out()
    log.close()
    assert steering.rates == [5.0, 5.0]
    assert (tmp_path / "crawl" / "crawl.log").read_text().count("rate: at most 5") == 1
