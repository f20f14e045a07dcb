"""However large the bodies and however many at once: engine and workers together stay within a bound."""

from __future__ import annotations

import hashlib
import os
from base64 import b32encode
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.memory_watch import memory_watched
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed, Stream

from .crawling import CrawlFiles, assert_archive_is_consistent, quick_config
from .engine_process import engine, prepare_folder

MEGABYTE = 1_000_000
BOUND_BYTES = 400 * MEGABYTE
SITE = "large.test"
PIECE_BYTES = 1 << 20


def site_of(sizes_bytes: list[int], bytes_per_s: int | None) -> dict[tuple[str, str], Behaviour]:
    """A home page, and one large body for each size; the prefix makes each differ from all others."""
    links = "".join(f'<a href="/{number}">x</a>' for number in range(len(sizes_bytes))).encode()
    site: dict[tuple[str, str], Behaviour] = {(SITE, "/"): Fixed(b"<!DOCTYPE html>" + links)}
    for number, size_bytes in enumerate(sizes_bytes):
        site[SITE, f"/{number}"] = Stream(size_bytes, prefix=_prefix(number), bytes_per_s=bytes_per_s)
    return site


def _prefix(number: int) -> bytes:
    return b"body %06d " % number


def expected_digest(web: SimWeb, number: int, size_bytes: int) -> str:
    """The digest of a body, worked out without a crawler."""
    prefix = _prefix(number)
    digest = hashlib.sha1(prefix, usedforsecurity=False)
    at = len(prefix)
    while at < size_bytes:
        piece = web.text.cut(at, min(PIECE_BYTES, size_bytes - at))
        digest.update(piece)
        at += len(piece)
    return "sha1:" + b32encode(digest.digest()).decode()


def archived_sizes(files: CrawlFiles) -> dict[str, int]:
    """The bytes of each body as warcio reads them."""
    sizes: dict[str, int] = {}
    for path in files.warcs:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    body = record.raw_stream
                    sizes[record.rec_headers.get_header("WARC-Target-URI")] = sum(
                        len(piece)
                        for piece in iter(lambda: body.read(PIECE_BYTES), b"")  # noqa: B023
                    )
    return sizes


def crawl_bodies(folder: Path, sizes_bytes: list[int], within_s: float, bytes_per_s: int | None = None) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), site_of(sizes_bytes, bytes_per_s)) as sim:
        prepare_folder(
            folder,
            quick_config(
                sim,
                seeds=(sim.web.url(SITE, "/"),),
                connections_per_host=600,
                connections=600,
                fixed=True,
                workers=2,
                max_body_bytes=4_000 * MEGABYTE,
                idle_timeout_s=120.0,
                response_timeout_s=120.0,
            ),
        )
        with engine(folder, is_forked=False) as process, memory_watched(process.pid) as meter:
            assert process.wait(within_s) == 0
    print(f"\npeak {meter.peak_bytes / MEGABYTE:.0f} MB in {meter.samples} samples")
    if len(sizes_bytes) > 1:
        assert sim.log.peak_concurrency()[SITE] >= len(sizes_bytes) // 2  # many at once, as was meant
    files = CrawlFiles(folder)
    assert {row.truncated for row in files.rows} == {""}
    assert_archive_is_consistent(files)
    sizes = archived_sizes(files)
    for number, size_bytes in enumerate(sizes_bytes):
        url = sim.web.url(SITE, f"/{number}")
        row = files.row(url)
        assert row.body_bytes == size_bytes == sizes[url]
        assert row.digest == expected_digest(sim.web, number, size_bytes)
    assert os.listdir(folder / "state" / "spool") == []
    assert meter.samples > 5
    assert meter.peak_bytes < BOUND_BYTES


def test_memory_is_bounded_with_a_body_of_150_megabytes(tmp_path: Path) -> None:
    crawl_bodies(tmp_path / "crawl", [150 * MEGABYTE], within_s=120)


def test_memory_is_bounded_with_40_bodies_of_5_megabytes_at_once(tmp_path: Path) -> None:
    crawl_bodies(tmp_path / "crawl", [5 * MEGABYTE] * 40, within_s=120, bytes_per_s=1_000_000)


def test_memory_is_bounded_with_150_bodies_just_below_the_size_that_is_spooled(tmp_path: Path) -> None:
    crawl_bodies(tmp_path / "crawl", [900_000] * 150, within_s=120, bytes_per_s=600_000)


@pytest.mark.large
def test_memory_is_bounded_with_a_body_of_2_gigabytes(tmp_path: Path) -> None:
    crawl_bodies(tmp_path / "crawl", [2_000 * MEGABYTE], within_s=900)


@pytest.mark.large
def test_memory_is_bounded_with_500_bodies_of_20_megabytes_at_once(tmp_path: Path) -> None:
    crawl_bodies(tmp_path / "crawl", [20 * MEGABYTE] * 500, within_s=1800)


@pytest.mark.large
def test_memory_is_bounded_with_a_body_of_2_gigabytes_among_500_of_20_megabytes(tmp_path: Path) -> None:
    crawl_bodies(tmp_path / "crawl", [2_000 * MEGABYTE, *([20 * MEGABYTE] * 500)], within_s=1800)
