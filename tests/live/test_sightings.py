"""Figures of hosts and the newest pages: bounded, and kept over runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.live import sightings as module
from weft.live.sightings import Sightings
from weft.pipeline.doors import Finished
from weft.state import Batch
from weft.types import Outcome, PageRow, Timing
from weft.url import host_of

NO_BATCH = Batch.__new__(Batch)


def page(url: str, status: int = 200, outcome: Outcome = Outcome.RESPONSE, wait_s: float = 0.1) -> PageRow:
    return PageRow(
        url=url, depth=0, status=status, outcome=outcome, body_bytes=10, fetched_at=1e9, timing=Timing(0.0, wait_s, 0.0)
    )


def see(sightings: Sightings, *pages: PageRow) -> None:
    for row in pages:
        sightings.finished(NO_BATCH, Finished(b"", host_of(row.url), row, None, None))
    sightings.settle()


def test_a_visit_counts_once_its_batch_is_written(tmp_path: Path) -> None:
    sightings = Sightings(tmp_path / "hosts")
    sightings.finished(NO_BATCH, Finished(b"", "a.test", page("http://a.test/"), None, None))
    assert not sightings.by_pages()
    sightings.settle()
    sightings.settle()
    assert [(host.name, host.pages) for host in sightings.by_pages()] == [("a.test", 1)]


def test_what_came_from_each_host_is_told_over_runs(tmp_path: Path) -> None:
    for _ in range(2):
        sightings = Sightings(tmp_path / "hosts")
        see(
            sightings,
            page("http://a.test/1"),
            page("http://a.test/2", 404),
            page("http://a.test:81/3", 0, Outcome.RESET, 0.0),
            page("http://b.test/", wait_s=3.0),
        )
        sightings.save()
    a, b = Sightings(tmp_path / "hosts").by_pages()
    assert (a.name, a.requests, a.pages, a.bytes, a.failed, a.mean_wait_s) == ("a.test", 6, 2, 60, 2, 0.1)
    assert (b.name, b.requests, b.mean_wait_s) == ("b.test", 2, 3.0)


def test_the_slowest_hosts_are_those_with_enough_answers_to_judge(tmp_path: Path) -> None:
    sightings = Sightings(tmp_path / "hosts")
    see(sightings, *(page(f"http://slow.test/{n}", wait_s=2.0) for n in range(3)))
    see(sightings, *(page(f"http://quick.test/{n}", wait_s=0.1) for n in range(3)))
    see(sightings, page("http://once.test/", wait_s=9.0))
    assert [host.name for host in sightings.slowest()] == ["slow.test", "quick.test"]


def test_the_table_is_bounded_and_keeps_the_hosts_with_the_most_visits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HOSTS_KEPT", 10)
    sightings = Sightings(tmp_path / "hosts")
    see(sightings, *(page(f"http://large.test/{n}") for n in range(5)))
    see(sightings, *(page(f"http://h{n}.test/") for n in range(1_000)))
    sightings.save()
    assert sightings.by_pages()[0].name == "large.test"
    assert len(module._load(tmp_path / "hosts")) <= 20


def test_the_newest_pages_are_told_the_last_one_first(tmp_path: Path) -> None:
    sightings = Sightings(tmp_path / "hosts")
    see(sightings, *(page(f"http://a.test/{n}") for n in range(100)))
    newest = sightings.newest()
    assert [visited.url for visited in newest] == [f"http://a.test/{n}" for n in range(99, 79, -1)]


@pytest.mark.parametrize("spoilt", [b"\xff\x00nonsense", b"\x81\xa1\xff\x90"])
def test_a_file_that_was_spoilt_costs_its_figures_and_no_more(tmp_path: Path, spoilt: bytes) -> None:
    (tmp_path / "hosts").write_bytes(spoilt)
    assert Sightings(tmp_path / "hosts").by_pages() == []


def test_the_tables_of_very_many_hosts_are_worked_out_now_and_then_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_HOSTS", 2)
    sightings = Sightings(tmp_path / "hosts")
    see(sightings, page("http://a.test/"), page("http://b.test/"))
    assert len(sightings.tables(100.0)[0]) == 2
    see(sightings, page("http://c.test/"))
    assert len(sightings.tables(101.0)[0]) == 2
    assert len(sightings.tables(100.0 + module.TABLES_EVERY_S)[0]) == 3
