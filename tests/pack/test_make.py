"""What `pack_folder` writes, as other people's tools see it."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import resource
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.scratch import files_no_longer_than, scratch_folder
from weft.errors import BadInput, FolderError, WeftError
from weft.pack import DamagedPack, Trust, Wanted, pack_folder, verify_folder, verify_pack
from weft.pack.manifest import Entry, Header, Manifest, line_of
from weft.pack.reader import PackReader
from weft.pack.zip_format import End, Member, NotOurs, central_header, end_of_zip, local_header, read_end

from .trees import SITE, pack, packed_site, quietly, read_tree, unpacked, write_tree

FIXED = "1700000000"


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_unzip_finds_nothing_wrong(tmp_path: Path) -> None:
    done = run("unzip", "-t", packed_site(tmp_path))
    assert done.returncode == 0
    assert "No errors detected" in done.stdout


def test_pythons_zipfile_reads_the_same_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(packed_site(tmp_path)) as package:
        assert package.testzip() is None
        assert {name: package.read(name) for name in package.namelist() if name in SITE} == SITE
        assert package.namelist() == [*sorted(SITE), ".weft/manifest.jsonl"]
        methods = {info.filename: info.compress_type for info in package.infolist()}
    assert methods["example.org/index.html"] == zipfile.ZIP_DEFLATED
    assert methods["example.org/logo.png"] == methods["example.org/empty.txt"] == zipfile.ZIP_STORED


def test_what_unzip_makes_of_a_pack_can_be_verified(tmp_path: Path) -> None:
    assert run("unzip", "-q", packed_site(tmp_path), "-d", tmp_path / "out").returncode == 0
    assert verify_folder(tmp_path / "out", Trust(), quietly).is_sound
    assert read_tree(tmp_path / "out") == SITE


def test_the_manifest_has_length_checksum_and_type_of_each_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(packed_site(tmp_path, sources=["https://example.org/"])) as package:
        header, *rows = map(json.loads, package.read(".weft/manifest.jsonl").splitlines())
    assert (header["weft_pack"], header["files"], header["since"]) == (1, len(SITE), None)
    assert header["bytes"] == header["packed_bytes"] == sum(map(len, SITE.values()))
    assert header["sources"] == ["https://example.org/"]
    assert [row["path"] for row in rows] == sorted(SITE)
    for row in rows:
        assert row["sha256"] == hashlib.sha256(SITE[row["path"]]).hexdigest()
        assert row.get("bytes", 0) == len(SITE[row["path"]])
    assert {row["type"] for row in rows} == {"text/html", "image/png", "text/plain", "text/css"}


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", FIXED)
    first = packed_site(tmp_path).read_bytes()
    again = write_tree(tmp_path / "again", dict(sorted(SITE.items(), reverse=True)))
    for path in again.rglob("*"):
        os.utime(path, (0, 0))
    pack(again, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == first


def test_what_is_wefts_own_is_left_out(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", {**SITE, ".weft/db/CURRENT": b"x"})
    pack(folder, tmp_path / "site.zip")
    with zipfile.ZipFile(tmp_path / "site.zip") as package:
        assert set(package.namelist()) == {*SITE, ".weft/manifest.jsonl"}


def test_where_a_mirror_began_is_told_if_it_is_known(tmp_path: Path) -> None:
    config = b'{"format": 1, "config": {"seeds": ["https://example.org/"], "more": 1}}'
    folder = write_tree(tmp_path / "site", {**SITE, ".weft/state/config.json": config})
    assert pack(folder, tmp_path / "site.zip").header.sources == ("https://example.org/",)


@pytest.mark.parametrize(
    ("seeds", "named"),
    [
        ([f"https://host-{number}.example.org/and/some/longer/path" for number in range(1_500)], 100),
        (["https://example.org/" + "\1" * 5_000] * 3, 1),
        (["https://example.org/" + "a" * 100_000], 0),
    ],
)
def test_a_mirror_of_any_number_of_seeds_makes_a_pack_that_can_be_read(
    tmp_path: Path, seeds: list[str], named: int
) -> None:
    config = json.dumps({"format": 1, "config": {"seeds": seeds}}).encode()
    folder = write_tree(tmp_path / "site", {**SITE, ".weft/state/config.json": config})
    header = pack(folder, tmp_path / "site.zip").header
    assert (list(header.sources), header.more_sources) == (seeds[:named], len(seeds) - named)
    with PackReader(tmp_path / "site.zip") as reader:
        assert reader.manifest.header == header
    with zipfile.ZipFile(tmp_path / "site.zip") as package:  # as long as any weft reads
        assert len(package.read(".weft/manifest.jsonl").splitlines()[0]) < 1 << 16


def test_packs_whose_first_line_names_thousands_of_sources_still_open() -> None:
    sources = tuple(f"https://host-{number}.example.org/" for number in range(5_000))
    header = Header(
        weft_pack=1, made_at="", made_by="", sources=sources, files=1, bytes=0, packed_files=1, packed_bytes=0
    )
    entry = Entry("a", sha256=hashlib.sha256(b"").hexdigest())
    manifest = Manifest(io.BytesIO(line_of(header) + line_of(entry)))
    assert manifest.header.sources == sources
    assert list(manifest.entries()) == [entry]


def test_what_a_killed_mirror_had_half_written_is_left_out(tmp_path: Path) -> None:
    half = {**SITE, "example.org/.half.html.part": b"<p"}
    assert pack(write_tree(tmp_path / "any", half), tmp_path / "any.zip").header.files == len(half)
    its_own = {"example.org/film.mp4.part": b"of the site"}
    mirror = write_tree(tmp_path / "mirror", {**half, **its_own, ".weft/state/config.json": b"{}"})
    assert pack(mirror, tmp_path / "mirror.zip").header.files == len(SITE) + 1


def test_an_empty_folder_can_be_packed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    pack(tmp_path / "empty", tmp_path / "empty.zip")
    assert verify_pack(tmp_path / "empty.zip", Trust(), quietly).header.files == 0
    assert unpacked(tmp_path / "empty.zip", tmp_path / "out") == {}


@pytest.mark.large
def test_more_than_65535_files_need_the_long_form_of_the_end() -> None:
    with scratch_folder() as home:
        (home / "many").mkdir()
        for number in range(66_000):
            os.close(os.open(home / "many" / f"{number}.txt", os.O_CREAT))
        pack(home / "many", home / "many.zip")
        assert verify_pack(home / "many.zip", Trust(), quietly).header.files == 66_000
        with zipfile.ZipFile(home / "many.zip") as package:
            assert len(package.namelist()) == 66_001


@pytest.mark.parametrize("size", [0, 0xEFFF_FFFF, 0xF000_0000, 0xFFFF_FFFF, 1 << 40])
@pytest.mark.parametrize("offset", [0, 0xFFFF_FFFE, 0xFFFF_FFFF, 1 << 40])
def test_zipfile_understands_members_of_any_length_and_place(size: int, offset: int, tmp_path: Path) -> None:
    """A list alone, without the terabytes to which it belongs: the file is sparse."""
    member = Member("é.bin", 0, 0x12345678, size, size, offset)
    listed = central_header(member)
    end = offset + len(local_header(member)) + size
    path = tmp_path / "sparse.zip"
    with path.open("wb") as file:
        file.seek(end)
        file.write(listed + end_of_zip(End(1, len(listed), end)))
    with zipfile.ZipFile(path) as package:
        (info,) = package.infolist()
    assert (info.filename, info.CRC, info.file_size, info.compress_size) == ("é.bin", 0x12345678, size, size)
    assert info.header_offset == offset


@pytest.mark.parametrize("end", [End(0, 0, 0), End(65_534, 9, 9), End(65_535, 9, 9), End(1, 1 << 33, 1 << 40)])
def test_an_end_is_read_as_it_was_written(end: End) -> None:
    assert read_end(end_of_zip(end)[-98:]) == end


def test_an_end_that_names_a_place_no_file_has_is_none() -> None:
    end = bytearray(end_of_zip(End(1, 1 << 63, 1))[-98:])
    at = end.index((1 << 63).to_bytes(8, "little")) + 8  # where the list begins
    end[at : at + 8] = (1 << 63).to_bytes(8, "little")
    with pytest.raises(NotOurs):
        read_end(bytes(end))


def test_a_link_is_refused_by_name(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", SITE)
    (folder / "example.org" / "secret").symlink_to("/etc/passwd")
    with pytest.raises(BadInput, match=r"example\.org/secret"):
        pack(folder, tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def test_a_pipe_is_refused_by_name(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", SITE)
    os.mkfifo(folder / "example.org" / "pipe")
    with pytest.raises(BadInput, match=r"example\.org/pipe"):
        pack(folder, tmp_path / "out.zip")


@pytest.mark.parametrize("name", [b"example.org/\xff.html", b"example.org/a\\b", b"example.org/aux.html"])
def test_a_name_that_cannot_be_carried_is_refused(name: bytes, tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", SITE)
    Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"x")
    with pytest.raises(BadInput, match="cannot be packed"):
        pack(folder, tmp_path / "out.zip")


def test_names_that_differ_only_in_case_are_refused(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", {"h/Readme": b"1", "h/other": b"2", "h/readme": b"3"})
    with pytest.raises(BadInput, match=r"h/readme.*Readme"):
        pack(folder, tmp_path / "out.zip")


def test_what_may_hold_passwords_is_not_packed_wherever_it_lies(tmp_path: Path) -> None:
    mirrors = write_tree(tmp_path / "mirrors", {"a/.weft/state/config.json": b"{}", "a/example.org/index.html": b"<p>"})
    pack(mirrors, tmp_path / "out.zip")
    assert (
        read_tree(mirrors).keys()
        > unpacked(tmp_path / "out.zip", tmp_path / "there").keys()
        == {"a/example.org/index.html"}
    )
    write_tree(mirrors, {"b/crawl/state/config.json": b"{}", "b/crawl/archive/x.warc.gz": b""})
    with pytest.raises(BadInput, match="b/crawl is a crawl"):
        pack(mirrors, tmp_path / "again.zip")
    assert not (tmp_path / "again.zip").exists()


def test_a_crawl_is_sent_to_wacz(tmp_path: Path) -> None:
    crawl = write_tree(tmp_path / "crawl", {"state/config.json": b"{}", "archive/x.warc.gz": b""})
    with pytest.raises(BadInput, match="--to wacz"):
        pack(crawl, tmp_path / "out.zip")
    for part in ("archive", "state"):
        with pytest.raises(BadInput, match="is part of a crawl"):
            pack(crawl / part, tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", {**SITE, ".weft/state/lock": b""})
    with (folder / ".weft" / "state" / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(FolderError, match="in use"):
            pack(folder, tmp_path / "out.zip")


def test_a_pack_does_not_go_into_the_folder_that_it_packs(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="elsewhere"):
        pack(write_tree(tmp_path / "site", SITE), tmp_path / "site" / "out.zip")


def test_a_file_is_replaced_by_force_only(tmp_path: Path) -> None:
    out = packed_site(tmp_path)
    out.write_bytes(b"mine")
    with pytest.raises(BadInput, match="--force"):
        pack(tmp_path / "site", out)
    assert out.read_bytes() == b"mine"
    pack(tmp_path / "site", out, replaces=True)
    assert verify_pack(out, Trust(), quietly).is_sound


def test_a_file_that_grows_while_it_is_packed_is_told(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", {"h/a.txt": b"x" * 600_000})

    def grow(amount: int) -> None:
        with (folder / "h" / "a.txt").open("ab") as file:
            file.write(b"more")

    with pytest.raises(FolderError, match=r"h/a\.txt changed"):
        pack_folder(folder, tmp_path / "out.zip", Wanted(), grow)
    assert os.listdir(tmp_path) == ["site"]


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", {"h/a.png": os.urandom(300_000)})
    with files_no_longer_than(100_000), pytest.raises(WeftError):
        pack(folder, tmp_path / "out.zip")
    assert os.listdir(tmp_path) == ["site"]


@pytest.mark.parametrize("chunks", [1, 3, 9])
def test_a_killed_process_leaves_nothing(chunks: int, tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", {f"h/{number}.png": os.urandom(500_000) for number in range(5)})
    script = f"""
import os, signal
from pathlib import Path
from weft.pack import Wanted, pack_folder
passes = 0
def advance(amount):
    global passes
    passes += 1
    if passes == {chunks}:
        os.kill(os.getpid(), signal.SIGKILL)
pack_folder(Path({str(folder)!r}), Path({str(tmp_path / "out.zip")!r}), Wanted(), advance)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == ["site"]


def test_a_zip_of_another_program_is_no_pack(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as package:
        package.writestr("a.txt", "x")
    with pytest.raises(DamagedPack, match=r"a\.txt"):
        verify_pack(tmp_path / "other.zip", Trust(), quietly)


@pytest.mark.parametrize("content", [b"", b"PK", b"hello" * 100, b"\0" * 10_000])
def test_what_is_no_zip_is_no_pack(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(DamagedPack, match=r"x\.zip: it is no pack"):
        verify_pack(tmp_path / "x.zip", Trust(), quietly)


@pytest.mark.large
def test_a_file_of_five_gigabytes_goes_there_and_back_in_little_memory(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "site", SITE)
    size_bytes = 5 << 30
    for name in ("huge.mp4", "huge.txt", "later.txt"):
        with (folder / "example.org" / name).open("wb") as file:
            file.truncate(size_bytes if name.startswith("huge") else 3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pack(folder, tmp_path / "huge.zip")
    assert verify_pack(tmp_path / "huge.zip", Trust(), quietly).is_sound
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    with zipfile.ZipFile(tmp_path / "huge.zip") as package:
        assert package.getinfo("example.org/huge.txt").file_size == size_bytes
        assert package.read("example.org/later.txt") == b"\0\0\0"
    assert run("unzip", "-tqq", tmp_path / "huge.zip").returncode == 0
    (tmp_path / "huge.zip").unlink()  # pytest would keep it for three runs
