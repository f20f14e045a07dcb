"""Index files made from page rows, as others read them."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.store.rig import ArchiveRig, body_of, fetched
from weft.in_thread import Halted
from weft.store import write_cdxj
from weft.store import write_index as write_index_of_rows
from weft.store.index import timestamp14
from weft.store.sorted_lines import RUN_LINES
from weft.types import Kind, Original, Outcome, PageRow, SideRow, Timing
from weft.url import surt

FETCHED_AT = 1_800_000_000.123456


def name_of(file_id: int) -> str:
    return f"weft-{file_id}.warc.gz"


def page(url: str, fetched_at: float = FETCHED_AT, **fields: object) -> PageRow:
    return PageRow(url=url, status=200, fetched_at=fetched_at, depth=1, **({"file": 1} | fields))  # type: ignore[arg-type]


def write_index(
    folder: Path, pages: Iterable[PageRow], sides: Iterable[tuple[int, int, SideRow]], *more: Any, **options: Any
) -> None:
    """Of these pages' rows as they lie in the database."""
    write_index_of_rows(folder, map(msgspec.msgpack.encode, pages), sides, *more, **options)


def lines_of(path: Path) -> list[bytes]:
    data = path.read_bytes()
    assert data.endswith(b"\n") or not data
    return data.splitlines()


# ── index.cdxj ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_line_is_key_time_and_an_object_of_strings(folder: Path) -> None:
    stored = page(
        "https://www.example.org/B?y=2&x=1", mime="text/html", digest="sha1:ABC", file=3, offset=1234, length=567
    )
    write_cdxj(folder / "index.cdxj", [stored], name_of)
    (line,) = lines_of(folder / "index.cdxj")
    key, time, fields = line.decode().split(" ", 2)
    assert key == "org,example)/b?x=1&y=2" == surt(stored.url)
    assert time == "20270115080000"
    # The names and their order are those of cdxj-indexer; every value is a string there.
    assert list(json.loads(fields).items()) == [
        ("url", "https://www.example.org/B?y=2&x=1"),
        ("mime", "text/html"),
        ("status", "200"),
        ("digest", "sha1:ABC"),
        ("length", "567"),
        ("offset", "1234"),
        ("filename", "weft-3.warc.gz"),
    ]


def test_lines_lead_to_their_records(rig: ArchiveRig) -> None:
    """What the index says is what warcio finds in the file."""
    pages = []
    for number in range(5):
        response = fetched(f"http://a.example/{number}", body_of(number), started_at=FETCHED_AT + number)
        at = rig.writer().write(response)
        pages.append(
            page(response.url, response.started_at, file=at.file, offset=at.offset, length=at.length, digest=at.digest)
        )
    write_cdxj(rig.folder / "index.cdxj", pages, rig.archive.name_of)
    told = [json.loads(line.split(b" ", 2)[2]) for line in lines_of(rig.folder / "index.cdxj")]
    with rig.archive.path_of(1).open("rb") as file:
        records = ArchiveIterator(file)
        found = [
            {
                "url": record.rec_headers.get_header("WARC-Target-URI"),
                "status": record.http_headers.get_statuscode(),
                "digest": record.rec_headers.get_header("WARC-Payload-Digest"),
                "offset": str(records.get_record_offset()),
                "length": str(records.get_record_length()),
            }
            for record in records
            if record.rec_type == "response"
        ]
    assert [{name: line[name] for name in found[0]} for line in told] == found


def test_pages_without_a_record_are_not_in_the_index(folder: Path) -> None:
    pages = [page("http://a.example/1"), page("http://a.example/2", file=0, outcome=Outcome.RESET)]
    write_cdxj(folder / "index.cdxj", pages, name_of)
    assert len(lines_of(folder / "index.cdxj")) == 1


def test_a_type_that_is_not_known_is_left_out_as_cdxj_indexer_does(folder: Path) -> None:
    write_cdxj(folder / "index.cdxj", [page("http://a.example/", mime="")], name_of)
    (line,) = lines_of(folder / "index.cdxj")
    assert "mime" not in json.loads(line.split(b" ", 2)[2])


def test_lines_are_sorted_bytewise_as_a_binary_search_wants_it(folder: Path) -> None:
    urls = [f"http://{host}.example/{path}" for host in ("b", "a-b", "a") for path in ("", "~", "A", "a/b", "a-b")]
    pages = [page(url, FETCHED_AT + delay) for url in urls for delay in (100.0, 0.0)]
    random.Random(1).shuffle(pages)
    write_cdxj(folder / "index.cdxj", pages, name_of)
    lines = lines_of(folder / "index.cdxj")
    assert len(lines) == 30
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("wall_s", "stamp"),
    [(0.0, "19700101000000"), (FETCHED_AT, "20270115080000"), (1_800_000_059.999, "20270115080059")],
)
def test_a_time_is_cut_to_whole_seconds_in_utc(wall_s: float, stamp: str) -> None:
    assert timestamp14(wall_s) == stamp


# ── pages.jsonl ────────────────────────────────────────────────────────────────────────────────────────


def test_every_page_is_listed_with_what_is_known_of_it(folder: Path) -> None:
    stored = page(
        "http://a.example/", mime="text/html", digest="sha1:ABC", offset=10, length=20, body_bytes=30,
        charset="utf-8", title="Ein “Titel”\n", via="http://b.example/", kind=Kind.FRAME, truncated="length",
        address="192.0.2.1", attempts=2, timing=Timing(0.01, 0.2, 0.0344), hops="LE", near="http://c.example/",
        original=Original("http://d.example/", 1.0, "sha1:ABC", 1, 2, 3),
    )  # fmt: skip
    write_index(folder, [stored], (), name_of)
    (line,) = lines_of(folder / "pages.jsonl")
    assert json.loads(line) == {
        "url": "http://a.example/",
        "status": 200,
        "fetched_at": "2027-01-15T08:00:00.123+00:00",
        "outcome": "response",
        "depth": 1,
        "kind": "frame",
        "via": "http://b.example/",
        "mime": "text/html",
        "charset": "utf-8",
        "title": "Ein “Titel”\n",
        "body_bytes": 30,
        "digest": "sha1:ABC",
        "truncated": "length",
        "noindex": False,
        "file": "weft-1.warc.gz",
        "offset": 10,
        "length": 20,
        "address": "192.0.2.1",
        "attempts": 2,
        "hops": "LE",
        "connect_ms": 10.0,
        "wait_ms": 200.0,
        "receive_ms": 34.4,
        "revisit_of": "http://d.example/",
        "near_duplicate_of": "http://c.example/",
    }


def test_a_page_that_failed_is_listed_without_a_place(folder: Path) -> None:
    failed = PageRow(url="http://a.example/", status=0, fetched_at=FETCHED_AT, depth=0, outcome=Outcome.RESET)
    write_index(folder, [failed], (), name_of)
    row = json.loads((folder / "pages.jsonl").read_bytes())
    assert (row["outcome"], row["status"]) == ("reset", 0)
    assert not {"file", "offset", "length"} & set(row)


def test_pages_stand_in_the_order_of_their_visits(folder: Path) -> None:
    times = [9.5, 10.0, 99.0, 100.0, 1_800_000_000.000001, 1_800_000_000.000002, 1_900_000_000.0]
    pages = [page(f"http://a.example/{number}", at) for number, at in enumerate(times)]
    random.Random(1).shuffle(pages)
    write_index(folder, pages, (), name_of)
    urls = [json.loads(line)["url"] for line in lines_of(folder / "pages.jsonl")]
    assert urls == [f"http://a.example/{number}" for number in range(len(times))]


@pytest.mark.parametrize("wall_s", [0.0, 1.0004999, 1.8e9 + 0.9999996, 1.8e9 + 0.9999994, -1.5])
def test_a_time_is_written_as_python_does(wall_s: float, folder: Path) -> None:
    write_index(folder, [page("http://a.example/", wall_s)], (), name_of)
    row = json.loads((folder / "pages.jsonl").read_bytes())
    assert row["fetched_at"] == datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="milliseconds")


# ── both ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_crawl_without_pages_gives_empty_files(folder: Path) -> None:
    write_index(folder, [], (), name_of)
    assert (folder / "index.cdxj").read_bytes() == (folder / "pages.jsonl").read_bytes() == b""


@pytest.mark.parametrize("looks", [0, 1, 2])  # while rows are read, and while each of the files is written
def test_halted_it_leaves_no_half_of_a_file(looks: int, folder: Path) -> None:
    write_index(folder, [page("http://a.example/before")], (), name_of)
    before = (folder / "pages.jsonl").read_bytes()
    pages = [page(f"http://a.example/{number}") for number in range(8)]
    halted = iter([False] * looks + [True])
    with pytest.raises(Halted):
        write_index(folder, pages, (), name_of, is_halted=lambda: next(halted))
    assert sorted(path.name for path in folder.iterdir()) == ["index.cdxj", "pages.jsonl"]
    assert (folder / "pages.jsonl").read_bytes() == before
    assert len(lines_of(folder / "index.cdxj")) == (8 if looks == 2 else 1)


def test_more_lines_than_are_sorted_in_memory_at_once_come_out_in_one_order(folder: Path) -> None:
    count = 2 * RUN_LINES + 10
    shuffled = ((number * 7_919) % count for number in range(count))  # each number once: 7,919 is prime to count
    write_index(folder, (page(f"http://a.example/{n}", float(n)) for n in shuffled), (), name_of)
    lines = lines_of(folder / "pages.jsonl")
    assert len(lines) == count
    assert all(line.startswith(b'{"url":"http://a.example/%d",' % number) for number, line in enumerate(lines))


def test_rows_read_once_give_the_same_index_as_those_read_for_it_alone(folder: Path) -> None:
    pages = [page(f"http://a.example/{n * 7_919 % 1_009}", float(n)) for n in range(1_009)]
    sides = [(1, 7, SideRow("dns:a.example", 1.0, 0, "text/dns", "sha1:ABC", 5, 6))]
    write_index(folder, pages, sides, name_of)
    write_cdxj(folder / "alone.cdxj", pages, name_of, sides)
    assert (folder / "index.cdxj").read_bytes() == (folder / "alone.cdxj").read_bytes()
    assert len(lines_of(folder / "index.cdxj")) == len(pages) + 1


def test_lines_of_different_runs_are_merged_in_byte_order(folder: Path) -> None:
    count = RUN_LINES + 1_000
    write_cdxj(folder / "index.cdxj", (page(f"http://a.example/{n % 50_000}", n * 1.0) for n in range(count)), name_of)
    lines = lines_of(folder / "index.cdxj")
    assert len(lines) == count
    assert all(one < other for one, other in pairwise(lines))


def test_a_file_is_replaced_whole_or_not_at_all(folder: Path) -> None:
    path = folder / "index.cdxj"
    write_cdxj(path, [page("http://a.example/old")], name_of)
    before = path.read_bytes()

    def breaks_off() -> Iterator[PageRow]:
        yield page("http://a.example/new")
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write_cdxj(path, breaks_off(), name_of)
    assert path.read_bytes() == before
    write_cdxj(path, [page("http://a.example/new")], name_of)
    assert b"/new" in path.read_bytes()
    assert os.listdir(folder) == ["index.cdxj"], "nothing temporary is left"
