"""Records as others read them."""

from __future__ import annotations

import fcntl
import os
import re
from base64 import b32encode
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.scratch import files_no_longer_than
from tests.store.rig import INFO, PAGES, Page, body_of, fetched, full_after, headers_of, is_sound, members, url_of
from weft.errors import DiskFull, FolderError
from weft.store import WarcWriter, read_record
from weft.types import Fetched, RecordPlace


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "weft-1.warc.gz.open"


@pytest.fixture
def writer(path: Path) -> Iterator[WarcWriter]:
    writer = WarcWriter(str(path), 7, 0, INFO)
    yield writer
    writer.close()


# ── records ────────────────────────────────────────────────────────────────────────────────────────────


def test_warcio_finds_no_fault(writer: WarcWriter, path: Path) -> None:
    for number in range(5):
        writer.write(fetched(url_of(number), body_of(number)))
    assert is_sound(path)


def test_each_record_is_a_gzip_member_of_its_own(writer: WarcWriter, path: Path) -> None:
    for number in range(3):
        writer.write(fetched(url_of(number)))
    kinds = [member.record.split(b"\r\n")[1] for member in members(path)]
    assert kinds == [b"WARC-Type: warcinfo"] + [b"WARC-Type: response", b"WARC-Type: request"] * 3


def test_a_file_begins_by_saying_who_wrote_it_and_its_final_name(writer: WarcWriter, path: Path) -> None:
    first = headers_of(path)[0]
    assert first["WARC-Type"] == "warcinfo"
    assert first["WARC-Filename"] == "weft-1.warc.gz"
    assert first["Content-Type"] == "application/warc-fields"
    with path.open("rb") as file:
        block = next(iter(ArchiveIterator(file))).content_stream().read()
    assert block == b"software: weft/test\r\nformat: WARC File Format 1.1\r\n"


def test_a_location_names_the_response_alone_and_the_end_of_the_page(writer: WarcWriter, path: Path) -> None:
    locations = [writer.write(fetched(url_of(number), body_of(number))) for number in range(3)]
    responses = [member for member in members(path) if b"WARC-Type: response" in member.record[:60]]
    assert [(at.offset, at.length) for at in locations] == [(one.offset, one.length) for one in responses]
    assert [at.end for at in locations] == [at.offset for at in locations[1:]] + [path.stat().st_size]
    assert {at.file for at in locations} == {7}


def test_each_record_can_be_read_alone_at_its_location(writer: WarcWriter, path: Path) -> None:
    page = fetched(body=body_of(1))
    writer.write(fetched(url_of(0)))
    at = writer.write(page)
    writer.write(fetched(url_of(2)))
    with path.open("rb") as file:
        file.seek(at.offset)
        record = next(iter(ArchiveIterator(file)))
        assert record.rec_headers.get_header("WARC-Target-URI") == page.url
        assert record.http_headers.get_statuscode() == "200"
        assert record.content_stream().read() == page.body
    assert read_record(RecordPlace(str(path), at.offset, at.length)).block == page.head + (page.body or b"")


def test_the_fields_of_a_response_tell_what_was_fetched_when_and_from_where(writer: WarcWriter, path: Path) -> None:
    body = body_of(1)
    page = fetched("http://a.example/?q=%C3%A4", body)
    at = writer.write(page)
    response = headers_of(path)[1]
    record_id = response.pop("WARC-Record-ID")
    assert re.fullmatch(r"<urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}>", record_id)
    assert at.digest == "sha1:" + b32encode(sha1(body).digest()).decode()
    assert response == {
        "WARC-Type": "response",
        "WARC-Date": "2027-01-15T08:00:00.123456Z",
        "WARC-Target-URI": "http://a.example/?q=%C3%A4",
        "WARC-IP-Address": "192.0.2.1",
        "Content-Type": "application/http; msgtype=response",
        "WARC-Payload-Digest": at.digest,
        "WARC-Block-Digest": "sha1:" + b32encode(sha1(page.head + body).digest()).decode(),
        "Content-Length": str(len(page.head) + len(body)),
    }


def test_a_request_is_tied_to_its_response(writer: WarcWriter, path: Path) -> None:
    page = fetched()
    writer.write(page)
    _, response, request = headers_of(path)
    assert request["WARC-Type"] == "request"
    assert request["WARC-Concurrent-To"] == response["WARC-Record-ID"]
    assert request["WARC-Record-ID"] != response["WARC-Record-ID"]
    assert request["WARC-Date"] == response["WARC-Date"]
    assert request["WARC-Target-URI"] == page.url
    assert request["Content-Type"] == "application/http; msgtype=request"
    assert members(path)[2].record.endswith(b"\r\n\r\n" + page.request + b"\r\n\r\n")


def test_no_two_records_have_the_same_name(writer: WarcWriter, path: Path) -> None:
    for _ in range(50):
        writer.write(fetched())
    assert len({record["WARC-Record-ID"] for record in headers_of(path)}) == 101


@pytest.mark.parametrize("reason", ["length", "time", "disconnect", "unspecified"])
@pytest.mark.parametrize("spooled", [False, True])
def test_a_response_that_was_cut_off_says_so(
    writer: WarcWriter, path: Path, folder: Path, reason: str, spooled: bool
) -> None:
    writer.write(fetched(truncated=reason, spool=folder / "body" if spooled else None))
    _, response, request = headers_of(path)
    assert response["WARC-Truncated"] == reason
    assert "WARC-Truncated" not in request
    assert is_sound(path)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"\r\n\r\n\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"WARC/1.1\r\nWARC-Type: response\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: \xff\xfe\r\n\r\n", bytes(range(256)) * 5),
        (b"HTTP/1.0 200\r\n\r\n", b"\0" * 1_000_000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", b"\x1f\x8b not really"),
    ],
    ids=["empty", "blank lines", "a record within", "bytes", "zeros", "chunked", "gzip"],
)
@pytest.mark.parametrize("spooled", [False, True])
def test_any_response_is_kept_byte_for_byte(
    writer: WarcWriter, path: Path, folder: Path, head: bytes, body: bytes, spooled: bool
) -> None:
    spool = folder / "body" if spooled else None
    at = writer.write(fetched(body=body, head=head, spool=spool, chunked=b"chunked" in head))
    assert read_record(RecordPlace(str(path), at.offset, at.length)).block == head + body
    assert is_sound(path)


@pytest.mark.parametrize("size", [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000])
def test_a_spooled_body_gives_the_same_record_as_one_in_memory(
    writer: WarcWriter, path: Path, folder: Path, size: int
) -> None:
    body = (body_of(1, 64 * 1024) * 16)[:size]
    in_memory = writer.write(fetched(body=body))
    spooled = writer.write(fetched(body=body, spool=folder / "body"))
    _, one, one_request, other, other_request = [name_taken_out(member.record) for member in members(path)]
    assert one == other
    assert one_request == other_request
    assert in_memory.digest == spooled.digest
    assert (spooled.offset, spooled.end) == (in_memory.end, path.stat().st_size)
    assert read_record(RecordPlace(str(path), spooled.offset, spooled.length)).block.endswith(body)


def name_taken_out(record: bytes) -> bytes:
    return re.sub(rb"<urn:uuid:[^>]+>", b"", record)


# ── going on in a file ─────────────────────────────────────────────────────────────────────────────────


def test_a_new_writer_goes_on_at_the_committed_end_and_cuts_what_lies_beyond(path: Path) -> None:
    first = WarcWriter(str(path), 7, 0, INFO)
    committed = first.write(fetched(url_of(1)))
    first.write(fetched(url_of(2)))
    first.close()
    second = WarcWriter(str(path), 7, committed.end, INFO)
    assert path.stat().st_size == committed.end
    at = second.write(fetched(url_of(3)))
    second.close()
    assert at.offset == committed.end
    assert [record.get("WARC-Target-URI") for record in headers_of(path)] == [
        None, url_of(1), url_of(1), url_of(3), url_of(3),
    ]  # fmt: skip
    assert is_sound(path)


def test_a_file_has_one_writer_at_a_time(path: Path) -> None:
    writer = WarcWriter(str(path), 7, 0, INFO)
    rival = os.open(path, os.O_RDWR)
    with pytest.raises(BlockingIOError):
        lock_now(rival)
    writer.close()
    lock_now(rival)
    os.close(rival)


def lock_now(fd: int) -> None:
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


# ── no room ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("room", [0.0, 0.01, 0.5, 0.9, 0.999, 0.9997])
@pytest.mark.parametrize("page", PAGES)
def test_on_a_full_disk_the_file_ends_where_it_ended_before(
    writer: WarcWriter, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, page: Page, room: float
) -> None:
    """The disk gets full somewhere in the page: in the response, or when only its request is missing."""
    writer.write(fetched(url_of(1)))
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full_after(int(room * size_of(page(folder), folder))))
        with pytest.raises(DiskFull):
            writer.write(page(folder))
    assert path.read_bytes() == before
    assert writer.end == len(before)
    assert writer.write(page(folder)).offset == len(before), "once there is room again, it goes on"
    assert is_sound(path)


def size_of(page: Fetched, folder: Path) -> int:
    """What the page takes in a file."""
    elsewhere = WarcWriter(str(folder / "elsewhere"), 8, 0, INFO)
    at = elsewhere.write(page)
    elsewhere.close()
    return at.end - at.offset


@pytest.mark.parametrize("page", PAGES)
def test_whatever_stops_a_write_the_file_ends_where_it_ended_before(
    writer: WarcWriter, path: Path, folder: Path, page: Page
) -> None:
    """The kernel itself says no in the middle of the page."""
    writer.write(fetched(url_of(1)))
    before = path.read_bytes()
    ready = page(folder)
    with (
        files_no_longer_than(len(before) + 300_000),
        pytest.raises(FolderError, match=r"cannot write .*: File too large"),
    ):
        writer.write(ready)
    assert path.read_bytes() == before
    assert writer.end == len(before)
    writer.write(ready)
    assert is_sound(path)
