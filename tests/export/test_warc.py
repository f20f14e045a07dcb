"""The archive's own bytes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from weft.errors import BadInput, FolderError
from weft.export import Source
from weft.export.warc import CHUNK_BYTES, committed_chunks, copy_files, write_warc
from weft.folder.reading import CrawlReader

from .judged_crawl import JudgedCrawl, ignore
from .judges import judge


def test_all_records_stand_in_one_file_that_warcio_accepts(
    judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path
) -> None:
    told: list[int] = []
    out = io.BytesIO()
    write_warc(Source(reader), out, told.append)
    assert len(out.getvalue()) == sum(told) == sum(path.stat().st_size for path in judged.files.warcs)
    (tmp_path / "all.warc.gz").write_bytes(out.getvalue())
    assert judge("warcio", "check", tmp_path / "all.warc.gz").returncode == 0


def test_files_are_copied_under_their_final_names(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    copy_files(Source(reader), tmp_path, ignore)
    copied = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert copied == {path.name: path.read_bytes() for path in judged.files.warcs}


def test_no_file_is_copied_when_one_is_in_the_way(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    in_the_way = tmp_path / judged.files.warcs[-1].name
    in_the_way.write_bytes(b"mine")
    with pytest.raises(BadInput, match="--force"):
        copy_files(Source(reader), tmp_path, ignore)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"mine"]
    copy_files(Source(reader), tmp_path, ignore, replaces=True)
    assert in_the_way.read_bytes() == judged.files.warcs[-1].read_bytes()


def test_only_committed_bytes_belong_to_the_archive(tmp_path: Path) -> None:
    data = b"0123456789" * (CHUNK_BYTES // 8)
    path = tmp_path / "x.warc.gz.open"
    path.write_bytes(data)
    committed = CHUNK_BYTES + 77
    assert b"".join(committed_chunks(path, committed)) == data[:committed]


def test_a_file_is_found_although_it_got_its_final_name_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(b"0123456789")
    assert list(committed_chunks(tmp_path / "x.warc.gz.open", 4)) == [b"0123"]


def test_a_file_that_is_missing_or_too_short_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"x\.warc\.gz\.open is missing"):
        list(committed_chunks(tmp_path / "x.warc.gz.open", 4))
    (tmp_path / "x.warc.gz").write_bytes(b"012")
    with pytest.raises(FolderError, match=r"by 1 byte$"):
        list(committed_chunks(tmp_path / "x.warc.gz", 4))
