"""A WACZ file is what the specification, its validator and our rows say."""

from __future__ import annotations

import gzip
import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

from weft.export.zipnum import blocks_of

from .judged_crawl import JudgedCrawl, cdxj_lines
from .judges import judge

BLOCK_LINES = 5


def lines_in(wacz: Path, name: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(wacz) as package:
        return [json.loads(line) for line in package.read(name).splitlines()]


def test_wacz_validate_passes(wacz: Path) -> None:
    done = judge("wacz", "validate", "-f", wacz)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the passed WACZ is valid" in done.stdout


def test_what_readers_take_pieces_of_is_not_packed_again(wacz: Path) -> None:
    with zipfile.ZipFile(wacz) as package:
        packed = {info.filename: info.compress_type != zipfile.ZIP_STORED for info in package.infolist()}
    assert any(name.startswith("archive/") for name in packed)
    assert not any(is_packed for name, is_packed in packed.items() if name.endswith(".gz"))


def test_the_archive_is_in_it_byte_for_byte(judged: JudgedCrawl, wacz: Path) -> None:
    with zipfile.ZipFile(wacz) as package:
        stored = {name: package.read(name) for name in package.namelist() if name.startswith("archive/")}
    assert stored == {f"archive/{path.name}": path.read_bytes() for path in judged.files.warcs}


def test_the_index_in_it_is_that_of_the_crawl(judged: JudgedCrawl, wacz: Path) -> None:
    with zipfile.ZipFile(wacz) as package:
        assert gzip.decompress(package.read("indexes/index.cdx.gz")) == judged.index.read_bytes()


def test_the_description_names_each_file_with_its_length_and_digest(wacz: Path) -> None:
    with zipfile.ZipFile(wacz) as package:
        described = json.loads(package.read("datapackage.json"))
        told = {one["path"]: (one["bytes"], one["hash"]) for one in described["resources"]}
        contents = {name: package.read(name) for name in package.namelist() if "/" in name}
        digest = json.loads(package.read("datapackage-digest.json"))
        assert digest["hash"] == sha256(package.read("datapackage.json"))
    assert told == {name: (len(data), sha256(data)) for name, data in contents.items()}
    assert described["wacz_version"] == "1.1.1"


def sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_the_pages_are_those_that_were_found_there(judged: JudgedCrawl, wacz: Path) -> None:
    head, *pages = lines_in(wacz, "pages/pages.jsonl")
    assert (head["format"], head["hasText"]) == ("json-pages-1.0", True)
    assert {page["url"] for page in pages} == {row.url for row in judged.files.rows if row.status == 200}
    assert len({page["id"] for page in pages}) == len(pages)
    assert [page["url"] for page in pages if page.get("seed")] == [judged.url("/")]


def test_a_page_has_its_title_time_and_text(judged: JudgedCrawl, wacz: Path) -> None:
    pages = {page.get("url"): page for page in lines_in(wacz, "pages/pages.jsonl")}
    for path in ("/first", "/copy?of=first"):
        url = judged.url(path)
        assert pages[url]["title"] == "Zwei Kopien"
        assert pages[url]["text"].startswith("Das steht an zwei Stellen.")
        assert "".join(character for character in pages[url]["ts"] if character.isdigit()) == judged.timestamp(url)
    assert pages[judged.url("/picture.png")]["title"] == judged.url("/picture.png")


def test_the_blocks_of_the_index_are_cut_as_cdxj_indexer_cuts_them(judged: JudgedCrawl, tmp_path: Path) -> None:
    index, data = tmp_path / "index.idx", tmp_path / "index.cdx.gz"
    flags = ["--sort", "--digest-records", "--lines", str(BLOCK_LINES)]
    done = judge("cdxj-indexer", *flags, "--compress", data, "--output", index, *judged.files.warcs)
    assert done.returncode == 0, done.stderr
    with judged.index.open("rb") as lines:
        ours = list(blocks_of(lines, BLOCK_LINES))
    theirs = [line for line in index.read_text().splitlines(keepends=True) if not line.startswith("!meta")]
    assert len(ours) == len(theirs) > 2
    for our_block, their_line in zip(ours, theirs, strict=True):
        (our_entry,), (their_entry,) = cdxj_lines(our_block.index_line.decode()), cdxj_lines(their_line)
        assert our_entry[:2] == their_entry[:2]
        assert our_entry.fields.keys() == their_entry.fields.keys()
        start, length = their_entry.fields["offset"], their_entry.fields["length"]
        their_block = gzip.decompress(data.read_bytes()[start : start + length]).decode()
        our_keys = [line.key for line in cdxj_lines(gzip.decompress(our_block.data).decode())]
        assert our_keys == [line.key for line in cdxj_lines(their_block)]
