"""What the files of a mirror may become when they are unpacked, and what is left of one that cannot be written."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest

from tests.faults.disks import small_disk
from tests.hostile.wasteful import WASTEFUL
from weft.config import CrawlConfig
from weft.errors import DiskFull
from weft.mirror.site.bodies import ALWAYS_UNPACKED_BYTES, unpacked_limit
from weft.mirror.site.disk_file import MirrorFiles

from .mirrors import FOLDER, mirror, summary_of, tree
from .site_server import Answer, Site, page, serving

MIB = 1024 * 1024
CSV = b"0,0,0,0,0,0,0,0\n" * (12 * MIB // 16)
BOMB = gzip.compress(gzip.compress(bytes(64 * MIB)))


def packed(body: bytes, coding: str, content_type: str = "application/octet-stream") -> Answer:
    return Answer(body, content_type, headers=(("Content-Encoding", coding),))


def test_what_one_layer_of_gzip_holds_always_fits_and_stacked_layers_do_not() -> None:
    config = CrawlConfig()
    assert unpacked_limit(len(gzip.compress(bytes(50 * MIB))), config) >= 50 * MIB
    assert unpacked_limit(15_000, config) < 20 * MIB
    assert unpacked_limit(20, config) == ALWAYS_UNPACKED_BYTES
    assert unpacked_limit(300 * MIB, CrawlConfig(max_bytes=MIB)) == 300 * MIB  # it is not packed, or not much
    assert unpacked_limit(15_000, CrawlConfig(max_bytes=MIB)) == MIB


def test_bomb_is_kept_as_it_came_and_the_user_is_told(tmp_path: Path) -> None:
    with serving(Site()) as site:
        links = "".join(f"<a href='/{name}'>x</a>" for name in ("bomb.bin", "bomb.css", "waste.html", "data.csv"))
        site.put("/", page(f"<link rel=stylesheet href=/bomb.css>{links}"))
        site.put("/bomb.bin", packed(BOMB, "gzip, gzip"))
        site.put("/bomb.css", packed(bytes(brotli.compress(bytes(64 * MIB))), "br", "text/css"))
        waste = WASTEFUL["three layers of gzip"]
        site.put("/waste.html", packed(waste.raw, waste.coding.decode(), "text/html"))
        site.put("/data.csv", packed(gzip.compress(CSV), "gzip", "text/csv"))
        summary = summary_of(mirror(site, tmp_path, "--json"))
    files = {name.rpartition("/")[2]: body for name, body in tree(tmp_path).items()}
    assert files["bomb.bin"] == BOMB
    assert len(files["bomb.css"]) < MIB
    assert files["waste.html"] == waste.raw
    assert files["data.csv"] == CSV
    assert summary["kept_packed"] == 3
    assert {url.rpartition("/")[2] for url in summary["for_example"]} == {"bomb.bin", "bomb.css", "waste.html"}


def test_bytes_of_files_count_against_the_limit_and_not_only_those_that_came(tmp_path: Path) -> None:
    with serving(Site()) as site:
        site.put("/", page("".join(f"<a href='/{number}.csv'>x</a>" for number in range(40))))
        for number in range(40):
            site.put(f"/{number}.csv", packed(gzip.compress(b"%d\n" % number + CSV[:MIB]), "gzip", "text/csv"))
        stopped = mirror(site, tmp_path, "--max-bytes", str(8 * MIB), "--connections", "1")
        assert stopped.code == 3, stopped.errors
        assert 8 * MIB <= sum(map(len, tree(tmp_path).values())) < 24 * MIB
        assert mirror(site, tmp_path, "--max-bytes", str(800 * MIB)).code == 0
    assert len(tree(tmp_path)) == 41


def failing(error: BaseException) -> Iterator[bytes]:
    yield b"the first part"
    raise error


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), SystemExit(1), KeyError("unforeseen")])
def test_file_that_cannot_be_written_leaves_no_part_of_it(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(DiskFull if isinstance(error, OSError) else type(error)):
        MirrorFiles(tmp_path).save("site/page.html", failing(error))
    assert os.listdir(tmp_path / "site") == []


def test_disk_that_is_full_leaves_no_part_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 200 * MIB) as disk, serving(Site()) as site:
        disk.fill_but(60 * MIB)
        site.put("/", page("".join(f"<a href='/{number}.csv'>x</a>" for number in range(8))))
        for number in range(8):
            site.put(f"/{number}.csv", packed(gzip.compress(b"%d\n" % number + CSV), "gzip", "text/csv"))
        # By its whole path: in a namespace that is not its own a process cannot tell where it is.
        into = ("-o", str(disk.path / FOLDER))
        full = mirror(site, tmp_path, *into)
        assert full.code == 5, full.errors
        assert list((disk.path / FOLDER).rglob("*.part")) == []
        disk.make_room()
        assert mirror(site, tmp_path, *into).code == 0
        assert sorted(len(body) for body in tree(disk.path).values())[1:] == [len(CSV) + 2] * 8
