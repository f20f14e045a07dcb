"""`--archive lean`: a response, by the digest of its payload, and nothing beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from weft.store import WarcWriter, read_record
from weft.types import Conversion, Original, RecordPlace

from .rig import INFO, body_of, fetched, headers_of, is_sound

NOTES = b"via: http://a.example/\r\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lean.warc.gz"


@pytest.fixture
def writer(path: Path) -> Iterator[WarcWriter]:
    writer = WarcWriter(str(path), 7, 0, INFO, is_lean=True)
    yield writer
    writer.close()


@pytest.mark.parametrize("spooled", [False, True])
def test_a_page_is_its_response_with_one_digest(writer: WarcWriter, path: Path, tmp_path: Path, spooled: bool) -> None:
    page = fetched(body=body_of(1), spool=tmp_path / "body" if spooled else None)
    at = writer.write(page, NOTES)
    _, response = headers_of(path)
    assert response["WARC-Type"] == "response"
    assert response["WARC-Payload-Digest"] == at.digest
    assert "WARC-Block-Digest" not in response
    assert read_record(RecordPlace(str(path), at.offset, at.length)).block == page.head + body_of(1)
    assert at.end == at.offset + at.length == path.stat().st_size
    assert is_sound(path)


def test_a_payload_that_came_before_is_referred_to(writer: WarcWriter, path: Path) -> None:
    first = writer.write(fetched(body=body_of(1)))
    original = Original("http://a.example/1", 1_800_000_000.0, first.digest, 7, first.offset, first.length)
    again = writer.write(fetched("http://a.example/2", body_of(1)), NOTES, original)
    assert again.is_revisit
    _, _, revisit = headers_of(path)
    assert (revisit["WARC-Type"], revisit["WARC-Payload-Digest"]) == ("revisit", first.digest)
    assert "WARC-Block-Digest" not in revisit
    assert is_sound(path)


def test_forms_of_a_page_are_kept(writer: WarcWriter, path: Path) -> None:
    writer.write(fetched(), NOTES, converted=[Conversion("text", "hello")])
    assert [one["WARC-Type"] for one in headers_of(path)] == ["warcinfo", "response", "conversion"]
    assert is_sound(path)


@pytest.mark.parametrize(("status", "kind"), [(200, "resource"), (550, "metadata")])
def test_what_came_by_ftp_is_one_record_and_if_nothing_came_that_is_noted(
    writer: WarcWriter, path: Path, status: int, kind: str
) -> None:
    file = msgspec.structs.replace(fetched("ftp://a.example/1"), head=b"", status=status, request=b"USER anonymous")
    writer.write(file, NOTES)
    _, record = headers_of(path)
    assert record["WARC-Type"] == kind
    assert is_sound(path)
