"""Rows of several folders: each once, whoever has it, and the newest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from weft.clock import Clock
from weft.errors import FolderError
from weft.folder.joined import JoinedFiles, JoinedRows
from weft.folder.refused_list import lines_of
from weft.folder.refused_rows import RefusedRow, RuleRow
from weft.state import State
from weft.state.keys import host_prefix, lane_prefix, queue_key, rule_key
from weft.store import Archive
from weft.store.archive import add_finished_file
from weft.types import Kind, Link, Original, PageRow, Refusal
from weft.url import url_id

HOST = "site.test"
URL = f"http://{HOST}/"

_encode = msgspec.msgpack.Encoder().encode


@pytest.fixture
def states(tmp_path: Path) -> Iterator[list[State]]:
    opened = []
    for name in ("a", "b"):
        (tmp_path / name / "archive").mkdir(parents=True)
        opened.append(State(tmp_path / name / "db"))
    yield opened
    for state in opened:
        state.close()


def joined(states: list[State], tmp_path: Path) -> tuple[JoinedRows, JoinedFiles]:
    archives = [Archive(state, tmp_path / name / "archive", Clock()) for name, state in zip("ab", states, strict=True)]
    files = JoinedFiles(archives)
    return JoinedRows(states, files), files


def put(state: State, family: str, key: bytes, row: object) -> None:
    batch = state.batch()
    batch.put(family, key, _encode(row))  # type: ignore[arg-type]
    state.write(batch)


def put_page(state: State, page: PageRow) -> None:
    put(state, "page", url_id(page.url), page)


@pytest.mark.parametrize("newest", [0, 1])
def test_the_newest_row_of_a_page_wins(newest: int, states: list[State], tmp_path: Path) -> None:
    put_page(states[newest], PageRow(URL, 200, 20.0, 3))
    put_page(states[1 - newest], PageRow(URL, 404, 10.0, 1))
    put_page(states[1], PageRow(URL + "b", 200, 5.0, 1))
    rows, _ = joined(states, tmp_path)
    assert {row.url: row.status for row in rows.pages()} == {URL: 200, URL + "b": 200}
    assert rows.page(url_id(URL)) == PageRow(URL, 200, 20.0, 3)
    assert rows.page(url_id(URL + "c")) is None


@pytest.mark.parametrize("nearer", [0, 1])
def test_of_two_rows_for_one_answer_the_nearer_one_wins(nearer: int, states: list[State], tmp_path: Path) -> None:
    put_page(states[nearer], PageRow(URL, 200, 10.0, 1))
    put_page(states[1 - nearer], PageRow(URL, 200, 10.0, 3))
    rows, _ = joined(states, tmp_path)
    assert [row.depth for row in rows.pages()] == [1]


def test_files_have_numbers_of_their_own_whichever_folder_names_them(states: list[State], tmp_path: Path) -> None:
    for name, state in zip("ab", states, strict=True):
        batch = state.batch()
        add_finished_file(batch, 1, f"weft-{name}.warc.gz", 100)
        state.write(batch)
    batch = states[0].batch()
    archive = Archive(states[0], tmp_path / "a" / "archive", Clock())
    known_as = archive.elsewhere(batch, "weft-b.warc.gz")
    lost = archive.elsewhere(batch, "weft-c.warc.gz")
    states[0].write(batch)
    original = Original(URL, 1.0, "", 1, 0, 10)
    put_page(states[0], PageRow(URL, 200, 20.0, 0, file=known_as))
    put_page(states[1], PageRow(URL + "b", 200, 20.0, 0, file=1, original=original))
    put_page(states[0], PageRow(URL + "c", 200, 20.0, 0, file=lost))
    rows, files = joined(states, tmp_path)
    by_url = {row.url: row for row in rows.pages()}
    assert by_url == {url: rows.page(url_id(url)) for url in by_url}
    path = tmp_path / "b" / "archive" / "weft-b.warc.gz"
    assert files.path_of(by_url[URL].file) == files.path_of(by_url[URL + "b"].file) == path
    row = by_url[URL + "b"]
    assert row.original is not None
    assert files.path_of(row.original.file) == path
    assert files.name_of(by_url[URL + "c"].file) == "weft-c.warc.gz"
    with pytest.raises(FolderError, match=r"weft-c\.warc\.gz lies in the folder of another node"):
        files.path_of(by_url[URL + "c"].file)
    assert [name for _, name, _ in files.files()] == ["weft-a.warc.gz", "weft-b.warc.gz"]


def test_what_waits_counts_once_and_not_when_another_node_has_visited_it(states: list[State], tmp_path: Path) -> None:
    for sequence, (state, url) in enumerate([(0, URL), (1, URL), (1, URL + "visited"), (0, URL + "other")]):
        put(states[state], "queue", queue_key(lane_prefix(HOST, 0), 0, sequence), Link(url, 1, Kind.LINK))
    put_page(states[0], PageRow(URL + "visited", 200, 1.0, 1))
    rows, _ = joined(states, tmp_path)
    links = [msgspec.msgpack.decode(row, type=Link).url for _, row in rows.scan("queue")]
    assert sorted(links) == [URL, URL + "other"]


def test_a_refused_url_is_listed_once_and_not_when_another_node_took_it(states: list[State], tmp_path: Path) -> None:
    for state in states:
        for url in (URL, URL + "taken"):
            row = RefusedRow(Link(url, 1, Kind.LINK), Refusal.PATTERN, "rule")
            put(state, "refused", host_prefix(HOST) + url_id(url), row)
        put(state, "rule", rule_key(HOST, Refusal.PATTERN, "rule"), RuleRow(2, 5))
    batch = states[1].batch()
    batch.put("seen", url_id(URL + "taken"), b"\0\1")
    states[1].write(batch)
    rows, _ = joined(states, tmp_path)
    first, more = map(msgspec.json.decode, lines_of(rows, None))
    assert first["url"] == URL
    assert more["more"] == 10
