"""The judge sees what is wrong: each kind of damage, done by hand to a crawl without fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.pipeline.crawling import crawl_all, quick_config
from tests.scratch import scratch_folder
from weft.simweb import Request, RequestLog, SimProcess, WebSpec
from weft.simweb.requestlog import UNFINISHED

from .judging import EXTRACTOR, NOTHING_WRONG, Findings, judge
from .politeness import rests_across_kills_s
from .refetches import NO_KILL, refetches_by_kill

Done = tuple[Path, dict[str, int]]
URL = "http://a.test/"


@pytest.fixture(scope="module")
def done() -> Iterator[Done]:
    with scratch_folder() as folder:
        with SimProcess(WebSpec(hosts=4, pages=30, seed=2)) as sim:
            crawl_all(folder / "crawl", quick_config(sim, extractors=(EXTRACTOR,)))
            truth = sim.web.truth()
        yield folder / "crawl", dict(truth.status)


@pytest.fixture
def copy(done: Done) -> Iterator[Done]:
    with scratch_folder() as folder:
        shutil.copytree(done[0], folder / "crawl")
        yield folder / "crawl", dict(done[1])


def test_nothing_is_wrong_with_a_crawl_that_was_left_in_peace(done: Done) -> None:
    assert judge(*done) == NOTHING_WRONG


def test_a_page_that_is_not_there_is_lost_with_its_item(done: Done) -> None:
    folder, status = done
    found = judge(folder, status | {"http://missing.test/": 200})
    assert found == Findings(pages_lost=1, items_lost=1)


def test_a_page_with_another_status_is_lost(done: Done) -> None:
    folder, status = done
    redirect = next(url for url, code in status.items() if code == 301)
    assert judge(folder, status | {redirect: 302}) == Findings(pages_lost=1)


def test_a_page_of_no_truth_is_told(done: Done) -> None:
    folder, status = done
    page = next(url for url, code in status.items() if code == 404)
    found = judge(folder, {url: code for url, code in status.items() if url != page})
    assert len(found.faults) == 1
    assert page in found.faults[0]


def test_an_item_twice_is_doubled_and_one_less_is_lost(copy: Done) -> None:
    items = copy[0] / "items.jsonl"
    lines = items.read_bytes().splitlines(keepends=True)
    items.write_bytes(b"".join([*lines, lines[0]]))
    assert judge(*copy) == Findings(items_doubled=1)
    items.write_bytes(b"".join(lines[1:]))
    assert judge(*copy) == Findings(items_lost=1)


def repeat_archive(folder: Path) -> None:
    (file,) = (folder / "archive").iterdir()
    shutil.copy(file, file.with_name("weft-copy.warc.gz"))


def spoil_archive(folder: Path) -> None:
    (file,) = (folder / "archive").iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)


def leave_file_open(folder: Path) -> None:
    (file,) = (folder / "archive").iterdir()
    file.rename(file.with_name(file.name + ".open"))


def drop_index_line(folder: Path) -> None:
    index = folder / "index.cdxj"
    index.write_bytes(b"".join(index.read_bytes().splitlines(keepends=True)[1:]))


def move_index_line(folder: Path) -> None:
    index = folder / "index.cdxj"
    index.write_bytes(index.read_bytes().replace(b'"offset":"', b'"offset":"1', 1))


def tear_log(folder: Path) -> None:
    log = folder / "crawl.log"
    log.write_bytes(log.read_bytes()[:-5])


@pytest.mark.parametrize(
    "damage", [repeat_archive, spoil_archive, leave_file_open, drop_index_line, move_index_line, tear_log]
)
def test_damage_to_archive_index_or_log_is_told(damage: Callable[[Path], None], copy: Done) -> None:
    damage(copy[0])
    assert judge(*copy).faults


def test_pages_in_two_files_are_stored_twice(copy: Done) -> None:
    repeat_archive(copy[0])
    assert judge(*copy).stored_twice == len(copy[1])


def request(started_at: float, fault: str = "", status: int = 200, host: str = "a.test") -> Request:
    return Request(host, "/", 1, started_at, started_at + 0.5, status, fault)


def test_what_is_asked_for_again_counts_for_the_first_kill_after_it() -> None:
    asked = {URL: [request(1.0), request(5.0)], URL + "x": [request(1.0, UNFINISHED), request(7.0)]}
    assert refetches_by_kill(asked, [0.5, 2.0, 3.0]) == {1: 2}


def test_what_the_server_reads_just_after_a_kill_was_sent_before_it() -> None:
    assert refetches_by_kill({URL: [request(2.05), request(5.0)]}, [2.0, 6.0]) == {0: 1}


def test_what_is_asked_for_again_without_a_kill_has_no_excuse() -> None:
    assert refetches_by_kill({URL: [request(1.0), request(2.0)]}, [0.5, 3.0]) == {NO_KILL: 1}


def test_another_try_after_a_fault_of_the_server_is_no_refetch() -> None:
    asked = {URL: [request(1.0, "reset-in-body"), request(3.0), request(4.0)]}
    assert refetches_by_kill(asked, [2.0]) == {NO_KILL: 1}
    assert refetches_by_kill({URL: [request(1.0, UNFINISHED), request(3.0)]}, []) == {}


def test_a_rest_across_a_kill_runs_from_the_response_before_it_to_the_request_after_it() -> None:
    log = RequestLog([request(1.0), request(3.0), request(4.0), request(3.2, host="b.test")])
    assert rests_across_kills_s(log, [2.0]) == [1.5]
