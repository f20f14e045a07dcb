"""Revisits, what is known about a page, DNS answers: records as others read them."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.store.rig import INFO, STARTED_AT, body_of, fetched, headers_of, is_sound, members, url_of
from weft.folder.archived import read_archived
from weft.store import WarcWriter, read_record
from weft.types import Fetched, Location, Original, RecordPlace

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
NOTES = f"via: {url_of(0)}\r\nhopsFromSeed: LLR\r\ndepth: 3\r\n".encode()
OTHER_HEAD = b"HTTP/1.1 203 Hm\r\nContent-Type: text/plain\r\nX-Other: 1\r\n\r\n"


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "weft-1.warc.gz.open"


@pytest.fixture
def writer(path: Path) -> Iterator[WarcWriter]:
    writer = WarcWriter(str(path), 7, 0, INFO)
    yield writer
    writer.close()


class Record(NamedTuple):
    """A record by another reader's eyes."""

    type: str
    headers: dict[str, str]
    status: str | None
    content: bytes


def records(path: Path) -> list[Record]:
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            http = record.http_headers
            status = http.get_statuscode() if http is not None and record.rec_type != "request" else None
            found.append(
                Record(record.rec_type, dict(record.rec_headers.headers), status, record.content_stream().read())
            )
    return found


def block_of(path: Path, number: int) -> bytes:
    """The bytes of a record's block, as stored."""
    return members(path)[number].record.partition(b"\r\n\r\n")[2][:-4]


def digest_of(*parts: bytes) -> str:
    return "sha1:" + b32encode(sha1(b"".join(parts)).digest()).decode()


def original_of(page: Fetched, at: Location) -> Original:
    return Original(page.url, page.started_at, at.digest, at.file, at.offset, at.length)


def place(path: Path, at: Location | Original) -> RecordPlace:
    return RecordPlace(str(path), at.offset, at.length)


# ── revisits ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("spooled", [False, True])
def test_a_body_that_was_archived_before_is_stored_as_a_revisit(
    writer: WarcWriter, path: Path, folder: Path, spooled: bool
) -> None:
    body = body_of(1)
    first = fetched(url_of(1), body)
    original = original_of(first, writer.write(first))
    again = fetched(
        url_of(2), body, head=OTHER_HEAD, spool=folder / "b" if spooled else None, started_at=STARTED_AT + 5
    )
    at = writer.write(again, original=original)
    assert at.is_revisit
    assert at.digest == original.digest
    _, response, _, revisit, request = records(path)
    assert (response.type, revisit.type, request.type) == ("response", "revisit", "request")
    expected = {
        "WARC-Type": "revisit",
        "WARC-Record-ID": revisit.headers["WARC-Record-ID"],
        "WARC-Date": "2027-01-15T08:00:05.123456Z",
        "WARC-Target-URI": url_of(2),
        "WARC-IP-Address": "192.0.2.1",
        "WARC-Profile": SAME_PAYLOAD,
        "WARC-Refers-To-Target-URI": url_of(1),
        "WARC-Refers-To-Date": "2027-01-15T08:00:00.123456Z",
        "Content-Type": "application/http; msgtype=response",
        "WARC-Payload-Digest": digest_of(body),
        "WARC-Block-Digest": digest_of(OTHER_HEAD),
        "Content-Length": str(len(OTHER_HEAD)),
    }
    assert revisit.headers == expected
    assert revisit.headers["WARC-Refers-To-Date"] == response.headers["WARC-Date"]
    assert block_of(path, 3) == OTHER_HEAD
    assert (revisit.status, revisit.content) == ("203", b"")
    assert request.headers["WARC-Concurrent-To"] == revisit.headers["WARC-Record-ID"]
    assert is_sound(path)


@pytest.mark.parametrize("spooled", [False, True])
def test_a_guess_that_was_wrong_costs_nothing_but_the_guess(
    writer: WarcWriter, path: Path, folder: Path, spooled: bool
) -> None:
    first = fetched(url_of(1), body_of(1))
    original = original_of(first, writer.write(first))
    other = fetched(url_of(2), body_of(2), spool=folder / "b" if spooled else None)
    at = writer.write(other, original=original)
    assert not at.is_revisit
    assert at.digest == digest_of(body_of(2))
    assert [record.type for record in records(path)] == ["warcinfo", "response", "request", "response", "request"]
    assert read_record(place(path, at)).block == other.head + body_of(2)
    assert is_sound(path)


def test_a_revisit_and_its_original_are_read_back_as_one_response(writer: WarcWriter, path: Path) -> None:
    body = body_of(1)
    first = fetched(url_of(1), body)
    original = original_of(first, writer.write(first))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nX-Mine: 1\r\n\r\n" % len(body)
    at = writer.write(fetched(url_of(2), body, head=head), original=original)
    again = read_archived(url_of(2), place(path, at), place(path, original))
    assert (again.head, again.body, again.status) == (head, body, 200)
    assert read_record(place(path, at)).block == head, "alone it has the head only"


def test_a_chunked_body_is_read_back_in_its_chunks(writer: WarcWriter, path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"5\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: 1\r\n\r\n"
    first = fetched(url_of(1), body, head=head, chunked=True)
    original = original_of(first, writer.write(first))
    at = writer.write(fetched(url_of(2), body, head=head, chunked=True), original=original)
    again = read_archived(url_of(2), place(path, at), place(path, original))
    assert (again.head, again.body, again.chunked) == (head, body, True)
    assert is_sound(path)


def test_a_page_that_the_server_calls_unchanged_refers_to_what_it_was(writer: WarcWriter, path: Path) -> None:
    first = fetched(url_of(1), body_of(1))
    original = original_of(first, writer.write(first))
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
    unchanged = msgspec.structs.replace(
        fetched(url_of(1), b"", head=head, started_at=STARTED_AT + 60), status=304, headers=((b"etag", b'"1"'),)
    )
    at = writer.write(unchanged, NOTES, original)
    assert (at.is_revisit, at.digest) == (True, original.digest)
    revisit = records(path)[3]
    assert (revisit.type, revisit.status) == ("revisit", "304")
    assert revisit.headers["WARC-Profile"] == NOT_MODIFIED
    assert revisit.headers["WARC-Refers-To-Target-URI"] == url_of(1)
    assert revisit.headers["WARC-Payload-Digest"] == original.digest
    assert revisit.headers["WARC-Block-Digest"] == digest_of(head)
    assert is_sound(path)


def test_unchanged_without_an_original_is_a_response_like_any_other(writer: WarcWriter, path: Path) -> None:
    unchanged = msgspec.structs.replace(fetched(url_of(1), b"", head=b"HTTP/1.1 304 Not Modified\r\n\r\n"), status=304)
    assert not writer.write(unchanged).is_revisit
    assert [record.type for record in records(path)] == ["warcinfo", "response", "request"]
    assert is_sound(path)


# ── digests ────────────────────────────────────────────────────────────────────────────────────────────

BODIES = {
    "plain": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b"hello"),
    "empty": (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    "chunked": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n"),
    "packed": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", b"\x1f\x8bnot really"),
    "large": (b"HTTP/1.1 200 OK\r\n\r\n", body_of(1, 700_000)),
}


@pytest.mark.parametrize("spooled", [False, True])
@pytest.mark.parametrize(("head", "body"), BODIES.values(), ids=BODIES)
def test_both_digests_are_those_of_the_bytes_as_stored(
    writer: WarcWriter, path: Path, folder: Path, head: bytes, body: bytes, spooled: bool
) -> None:
    at = writer.write(fetched(body=body, head=head, spool=folder / "b" if spooled else None), NOTES)
    _, response, request, metadata = headers_of(path)
    assert block_of(path, 1) == head + body
    assert response["WARC-Payload-Digest"] == at.digest == digest_of(body)
    assert response["WARC-Block-Digest"] == digest_of(head + body)
    assert request["WARC-Block-Digest"] == digest_of(block_of(path, 2))
    assert metadata["WARC-Block-Digest"] == digest_of(block_of(path, 3))
    assert is_sound(path)


# ── what is known about a page ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["in memory", "spooled", "revisit", "truncated"])
def test_each_page_has_its_notes_tied_to_its_response(writer: WarcWriter, path: Path, folder: Path, kind: str) -> None:
    page = fetched(
        url_of(1),
        body_of(1),
        spool=folder / "b" if kind == "spooled" else None,
        truncated="time" if kind == "truncated" else None,
    )
    original = None
    if kind == "revisit":
        original = Original(url_of(9), STARTED_AT - 1, digest_of(body_of(1)), 7, 0, 1)
    at = writer.write(page, NOTES, original)
    _, response, request, metadata = records(path)
    assert [response.type, request.type, metadata.type] == [
        "revisit" if kind == "revisit" else "response",
        "request",
        "metadata",
    ]
    record_id = response.headers["WARC-Record-ID"]
    assert request.headers["WARC-Concurrent-To"] == metadata.headers["WARC-Concurrent-To"] == record_id
    assert "WARC-Concurrent-To" not in response.headers
    assert metadata.headers["Content-Type"] == "application/warc-fields"
    assert metadata.headers["WARC-Target-URI"] == url_of(1)
    assert metadata.headers["WARC-Date"] == response.headers["WARC-Date"]
    assert len({headers["WARC-Record-ID"] for headers in headers_of(path)}) == 4
    assert metadata.content == NOTES
    assert ("WARC-Truncated" in response.headers) == (kind == "truncated")
    assert "WARC-Truncated" not in request.headers
    assert "WARC-Truncated" not in metadata.headers
    assert at.end == path.stat().st_size, "all of it is committed together"
    assert is_sound(path)


def test_the_place_of_a_page_is_that_of_its_response_alone(writer: WarcWriter, path: Path) -> None:
    at = writer.write(fetched(), NOTES)
    _, response, _, _ = members(path)
    assert (at.offset, at.length) == (response.offset, response.length)


def test_what_the_file_says_of_itself_keeps_to_its_lines_too(folder: Path) -> None:
    writer = WarcWriter(str(folder / "w.warc.gz.open"), 1, 0, INFO | {"operator": "Me\r\nrobots: ignore"})
    writer.close()
    (first,) = records(folder / "w.warc.gz.open")
    assert first.content.decode().split("\r\n")[-2:] == ["operator: Me robots: ignore", ""]


def test_notes_without_a_line_are_still_a_record(writer: WarcWriter, path: Path) -> None:
    writer.write(fetched(), b"")
    assert [(record.type, record.content) for record in records(path)][3] == ("metadata", b"")
    assert is_sound(path)


# ── DNS ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_dns_answer_is_a_resource_as_text_dns(writer: WarcWriter, path: Path) -> None:
    at = writer.write_dns("a.example", ("192.0.2.1", "2001:db8::1"), 299.6, STARTED_AT)
    _, answer = records(path)
    expected = b"20270115080000\na.example.\t300\tIN\tA\t192.0.2.1\na.example.\t300\tIN\tAAAA\t2001:db8::1\n"
    assert answer.content == expected
    assert answer.type == "resource"
    assert answer.headers["WARC-Target-URI"] == "dns:a.example"
    assert answer.headers["Content-Type"] == "text/dns"
    assert answer.headers["WARC-Date"] == "2027-01-15T08:00:00.123456Z"
    assert answer.headers["WARC-Payload-Digest"] == answer.headers["WARC-Block-Digest"] == digest_of(expected)
    assert at.digest == digest_of(expected)
    assert (at.offset + at.length, at.end) == (path.stat().st_size, path.stat().st_size)
    assert is_sound(path)


def test_a_dns_answer_without_addresses_is_still_a_record(writer: WarcWriter, path: Path) -> None:
    writer.write_dns("a.example", (), 60.0, STARTED_AT)
    assert records(path)[1].content == b"20270115080000\n"
    assert is_sound(path)
