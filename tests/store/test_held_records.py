"""Records that a worker holds until it tells of them: written at once, by either of its threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.store.rig import INFO, PAGES, Page, body_of, fetched, full_after, is_sound, url_of
from weft.errors import DiskFull
from weft.store import WarcWriter, read_record
from weft.store import writer as writer_module
from weft.store.records import scan_records
from weft.store.writer import HELD_BYTES
from weft.types import RecordPlace


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "weft-1.warc.gz.open"


@pytest.fixture
def holding(path: Path) -> Iterator[WarcWriter]:
    made = WarcWriter(str(path), 7, 0, INFO, holds=True)
    yield made
    made.close()


def test_held_records_are_in_the_file_once_they_are_flushed(holding: WarcWriter, path: Path) -> None:
    begun = path.read_bytes()
    locations = [holding.write(fetched(url_of(number))) for number in (1, 2, 3)]
    assert path.read_bytes() == begun
    holding.flush()
    assert path.stat().st_size == holding.end == locations[-1].end
    for number, at in zip((1, 2, 3), locations, strict=True):
        assert read_record(RecordPlace(str(path), at.offset, at.length)).fields["warc-target-uri"] == url_of(number)
    holding.flush()
    assert path.stat().st_size == holding.end
    assert is_sound(path)


def test_what_is_held_is_bounded(holding: WarcWriter, path: Path) -> None:
    for number in range(5):
        holding.write(fetched(url_of(number), body=body_of(number, HELD_BYTES)))
        assert holding.end - path.stat().st_size <= HELD_BYTES


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_cannot_be_held_any_more_leaves_those_before_it(
    holding: WarcWriter, path: Path, folder: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = holding.write(fetched(url_of(1)))
    before = path.read_bytes()
    ready = page(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full_after(1_000))
        with pytest.raises(DiskFull):
            holding.write(ready)
    assert path.stat().st_size in (len(before), first.end)
    assert holding.end == first.end
    second = holding.write(ready)
    holding.flush()
    assert second.offset == first.end
    assert path.stat().st_size == second.end
    assert is_sound(path)


@pytest.mark.parametrize("room_bytes", [0, 1, 1_000])
def test_what_cannot_be_flushed_is_still_held(
    holding: WarcWriter, path: Path, room_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    end = [holding.write(fetched(url_of(number))) for number in (1, 2)][-1].end
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full_after(room_bytes))
        with pytest.raises(DiskFull):
            holding.flush()
    assert path.read_bytes() == before
    holding.flush()
    assert path.stat().st_size == end == holding.end
    assert is_sound(path)


def test_what_is_flushed_again_stands_in_its_place_though_a_part_of_it_could_not_be_cut_off(
    holding: WarcWriter, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locations = [holding.write(fetched(url_of(number))) for number in (1, 2)]
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full_after(100))
        patch.setattr(os, "ftruncate", full_after(0))
        with pytest.raises(DiskFull):
            holding.flush()
    holding.flush()
    assert path.stat().st_size == locations[-1].end
    assert is_sound(path)


def test_another_thread_may_flush_at_any_moment(holding: WarcWriter, path: Path) -> None:
    is_over = Event()

    def flush_again_and_again() -> None:
        while not is_over.is_set():
            holding.flush()

    other = Thread(target=flush_again_and_again)
    other.start()
    locations = [holding.write(fetched(url_of(number))) for number in range(300)]
    is_over.set()
    other.join()
    holding.flush()
    assert path.stat().st_size == locations[-1].end
    assert [record.offset for record in scan_records(path) if record.fields["warc-type"] == "response"] == [
        at.offset for at in locations
    ]


@pytest.mark.parametrize("meanwhile", [WarcWriter.flush, lambda writer: writer.write(fetched(url_of(2)))])
def test_what_the_other_thread_does_while_records_are_written_waits(
    holding: WarcWriter, path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[WarcWriter], object]
) -> None:
    """Else a record would be written twice, or not at all."""
    write, other = os.write, Thread(target=meanwhile, args=(holding,))

    def interrupted(fd: int, data: memoryview) -> int:
        if not other.ident:
            other.start()
            other.join(0.2)  # it waits for this write; if it did not, it would be over by now
        return write(fd, data)

    holding.write(fetched(url_of(1)))
    monkeypatch.setattr(os, "write", interrupted)
    holding.flush()
    other.join()
    holding.flush()
    assert path.stat().st_size == holding.end
    assert is_sound(path)


def test_what_is_in_the_file_is_flushed_also_while_a_long_body_is_written(
    holding: WarcWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers to the pages before it wait for this flush."""
    holding.write(fetched(url_of(1)))
    page = fetched(url_of(2), spool=folder / "body")
    read = writer_module._chunks
    waits: list[bool] = []

    def flushed_meanwhile(spool: str) -> Iterator[bytes]:
        other = Thread(target=holding.flush, daemon=True)
        other.start()
        other.join(5)
        waits.append(other.is_alive())
        yield from read(spool)

    monkeypatch.setattr(writer_module, "_chunks", flushed_meanwhile)
    holding.write(page)
    assert waits == [False, False]
