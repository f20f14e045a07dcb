"""What is on disk: WARC files, whole, cut and damaged; and what engine and workers say to each other."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from hypothesis import strategies as st

from tests.fuzz.properties import Property, cut_up
from tests.scratch import IN_MEMORY
from weft.pipeline.messages import AddSeed, Message, PageJob, decode_message, decode_reply
from weft.store import WarcWriter, read_record
from weft.store.records import Record, scan_records, whole_until
from weft.store.warc import warc_fields
from weft.types import Fetched, Kind, Link, Location, RecordPlace, Timing
from weft.workers.frames import FrameReader, frame

URL = "http://example.org/a"
SCRATCH = str(IN_MEMORY) if IN_MEMORY.is_dir() else None


def _fetched(body: bytes, note: str) -> Fetched:
    head = b"HTTP/1.1 200 OK\r\nX-Note: " + note.encode() + b"\r\n\r\n"
    return Fetched(
        url=URL,
        address="127.0.0.1",
        started_at=1.7e9,
        request=b"GET /a HTTP/1.1\r\n\r\n",
        status=200,
        head=head,
        headers=((b"x-note", note.encode()),),
        body=body,
        spool=None,
        body_bytes=len(body),
        chunked=False,
        truncated=None,
        timing=Timing(),
    )


class Written(NamedTuple):
    """A WARC file and where its pages lie."""

    data: bytes
    locations: list[Location]


def _write(folder: str, pages: Sequence[tuple[bytes, str]]) -> Written:
    path = os.path.join(folder, "a.warc.gz")
    writer = WarcWriter(path, 1, 0, {"software": "weft"})
    locations = [writer.write(_fetched(body, note), warc_fields([("title", note)])) for body, note in pages]
    writer.close()
    return Written(Path(path).read_bytes(), locations)


def _scan(folder: str, data: bytes) -> list[Record]:
    path = Path(folder, "b.warc.gz")
    path.write_bytes(data)
    return list(scan_records(path))


def what_is_written_is_scanned(pages: list[tuple[bytes, str]]) -> None:
    """All of it, in its order and with its bytes."""
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        data, locations = _write(folder, pages)
        records = _scan(folder, data)
        assert sum(record.length for record in records) == len(data)
        responses = [record for record in records if record.fields["warc-type"] == "response"]
        assert [(record.offset, record.length) for record in responses] == [(at.offset, at.length) for at in locations]
        for record, (body, note), at in zip(responses, pages, locations, strict=True):
            fetched = _fetched(body, note)
            whole = fetched.head + body
            assert record.block_bytes == len(whole)
            assert whole.startswith(record.block)
            assert read_record(RecordPlace(f"{folder}/a.warc.gz", at.offset, at.length)).block == whole
        titles = [record.block for record in records if record.fields["warc-type"] == "metadata"]
        assert [block.count(b"\r\n") for block in titles] == [1] * len(pages)  # a note keeps to its line


class Harm(NamedTuple):
    """What happens to a file."""

    pages: list[tuple[bytes, str]]
    cut_at: int
    damaged_at: int | None
    new_byte: int


def what_is_harmed_is_scanned_up_to_the_harm(harm: Harm) -> None:
    """Never raises, never gives a record that was not written, and `whole_until` agrees."""
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        data, locations = _write(folder, harm.pages)
        harmed = bytearray(data[: harm.cut_at % (len(data) + 1)])
        if harm.damaged_at is not None and harmed:
            harmed[harm.damaged_at % len(harmed)] = harm.new_byte
        whole = _scan(folder, data)
        scanned = _scan(folder, bytes(harmed))
        # A header of gzip (its time, its system) carries no content; everything else is covered by the CRC.
        contents = [(record.fields, record.block) for record in whole]
        assert [(record.fields, record.block) for record in scanned] == contents[: len(scanned)]
        first = whole[0].length
        boundaries = [first, *(at.end for at in locations)]
        fd = os.open(f"{folder}/b.warc.gz", os.O_RDONLY)
        try:
            good = whole_until(fd, boundaries)
        finally:
            os.close(fd)
        assert good in boundaries
        unharmed = next(
            (n for n, pair in enumerate(zip(data, harmed, strict=False)) if pair[0] != pair[1]), len(harmed)
        )
        assert good >= max(end for end in boundaries if end <= max(unharmed, first))


def any_file_is_scanned(data: bytes) -> None:
    """Whatever is in it."""
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        for record in _scan(folder, data):
            assert record.length > 0


def messages_arrive_however_they_are_cut(given: tuple[list[tuple[bytes, str]], Sequence[int]]) -> None:
    """Whole and in order."""
    pages, cuts = given
    sent = [PageJob(Link(URL, 1, Kind.LINK, note), _fetched(body, note)) for body, note in pages]
    messages: list[Message] = [*sent, AddSeed(URL)]
    stream = b"".join(bytes(frame(message)) for message in messages)
    reader = FrameReader()
    received = [decode_message(body) for piece in cut_up(stream, cuts) for body in reader.feed(piece)]
    assert received == messages


def any_message_is_read_or_refused(data: bytes) -> None:
    """By errors that msgspec raises."""
    for decode in (decode_message, decode_reply):
        try:
            decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue


PAGES = st.lists(st.tuples(st.binary(max_size=200), st.text(max_size=20)), max_size=4)
MESSAGES = st.builds(
    lambda message, at, byte: (
        bytes(message[: at % len(message)]) + bytes([byte]) + bytes(message[at % len(message) + 1 :])
    ),
    st.builds(lambda page: bytes(frame(PageJob(Link(URL, 1), _fetched(*page))))[4:], st.tuples(st.binary(), st.text())),
    st.integers(0, 10_000),
    st.integers(0, 255),
)

ARCHIVE_PROPERTIES = (
    Property("warc: what is written is scanned", PAGES, what_is_written_is_scanned),
    Property(
        "warc: what is harmed is scanned up to the harm",
        st.builds(Harm, PAGES, st.integers(0, 5_000), st.none() | st.integers(0, 5_000), st.integers(0, 255)),
        what_is_harmed_is_scanned_up_to_the_harm,
    ),
    Property("warc: any file is scanned", st.binary(max_size=300), any_file_is_scanned),
    Property(
        "messages: arrive however they are cut",
        st.tuples(PAGES, st.lists(st.integers(0, 10_000), max_size=8)),
        messages_arrive_however_they_are_cut,
    ),
    Property("messages: any bytes are read or refused", st.binary() | MESSAGES, any_message_is_read_or_refused),
)
