"""`weft export` from the command line: where it writes, what it refuses, and a crawl that still runs."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.export.judges import judge
from tests.pipeline.crawling import CrawlFiles
from tests.pipeline.engine_process import weft_command
from tests.scratch import scratch_folder
from weft.cli.export import STDOUT, export
from weft.errors import BadInput
from weft.simweb import SimProcess, WebSpec

from .running import WITHIN_S, Finished, assert_is_one_sentence, crawl, own_environment, running_crawl

WEB = WebSpec(hosts=3, pages=30, seed=7)
LONG_WEB = WebSpec(hosts=3, pages=3_000, seed=7, latency_ms=(20, 40))  # a crawl of 15 s, if it were let
ENDINGS = {"jsonl": "jsonl", "parquet": "parquet", "urls": "txt", "wacz": "wacz", "warc": "warc.gz"}


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A folder in which `crawl` is a crawl that has ended."""
    with scratch_folder() as folder, SimProcess(WEB) as sim:
        assert crawl(sim, folder, "--quiet").code == 0
        yield folder


def urls_of(home: Path) -> set[str]:
    return {row.url for row in CrawlFiles(home / "crawl").rows if 200 <= row.status < 300}


@pytest.mark.parametrize("form", ENDINGS)
def test_each_form_is_written_into_the_crawl_folder_unless_told_otherwise(form: str, home: Path) -> None:
    done = Finished("export", "crawl", "--to", form, cwd=home)
    path = Path("crawl") / f"export.{ENDINGS[form]}"
    assert (done.code, done.out) == (0, "")
    assert str(path) in done.errors
    assert (home / path).stat().st_size > 0


def test_a_file_is_replaced_by_force_only(home: Path, tmp_path: Path) -> None:
    arguments = ["export", "crawl", "--to", "urls", "-q", "-o", str(tmp_path / "urls.txt")]
    (tmp_path / "urls.txt").write_text("mine")
    refused = Finished(*arguments, cwd=home)
    assert refused.code == 2
    assert_is_one_sentence(refused)
    assert "--force" in refused.errors
    assert (tmp_path / "urls.txt").read_text() == "mine"
    assert Finished(*arguments, "--force", cwd=home).code == 0
    assert set((tmp_path / "urls.txt").read_text().splitlines()) == urls_of(home)


def test_urls_go_to_standard_output_by_a_dash(home: Path) -> None:
    done = Finished("export", "crawl", "--to", "urls", "-o", "-", cwd=home)
    assert (done.code, done.errors) == (0, "")
    assert set(done.out.splitlines()) == urls_of(home)


def test_all_takes_every_visited_url(home: Path) -> None:
    done = Finished("export", "crawl", "--to", "urls", "--all", "-o", "-", cwd=home)
    visited = {row.url for row in CrawlFiles(home / "crawl").rows}
    assert set(done.out.splitlines()) == visited > urls_of(home)


def test_rows_are_chosen_by_pattern_status_and_media_type(home: Path) -> None:
    host = min(urls_of(home)).split("/")[2]
    flags = ["--match", f"*//{host}/*", "--status", "2xx", "--mime", "text/*", "--with", "text"]
    done = Finished("export", "crawl", "--to", "jsonl", *flags, "-o", "-", cwd=home)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert {row["url"] for row in rows} == {url for url in urls_of(home) if url.split("/")[2] == host}
    assert all(row["text"] for row in rows)


def test_warc_files_are_copied_into_a_folder(home: Path, tmp_path: Path) -> None:
    assert Finished("export", "crawl", "--to", "warc", "-o", str(tmp_path), "-q", cwd=home).code == 0
    originals = (home / "crawl" / "archive").iterdir()
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in originals}


def test_whoever_reads_only_the_beginning_is_served_without_complaint(home: Path) -> None:
    """As `weft export … -o - | head -1` does."""
    script = "import sys; print(sys.stdin.buffer.readline().decode(), end='')"
    reader = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert reader.stdin is not None
    command = weft_command("export", "crawl", "--to", "jsonl", "--with", "html", "-o", "-")
    done = subprocess.run(
        command,
        cwd=home,
        env=own_environment(),
        stdout=reader.stdin,
        stderr=subprocess.PIPE,
        timeout=WITHIN_S,
        check=False,
    )
    line, _ = reader.communicate(timeout=WITHIN_S)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(line)["status"] == 200


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "--to"),
        (["--to", "csv"], "csv"),
        (["--to", "wacz", "--match", "*"], "--match"),
        (["--to", "jsonl", "-o", "crawl"], "is a folder"),
    ],
)
def test_a_wish_that_makes_no_sense_gets_a_sentence(arguments: list[str], word: str, home: Path) -> None:
    done = Finished("export", "crawl", *arguments, cwd=home)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert word in done.errors


@pytest.mark.parametrize(
    ("wish", "word"),
    [
        ({"to": "warc", "output": STDOUT}, "-o -"),
        ({"to": "warc", "status": ["200"]}, "--status"),
        ({"to": "wacz", "mime": ["text/html"]}, "--mime"),
        ({"to": "parquet", "all": True}, "--all"),
        ({"to": "urls", "with_": ["text"]}, "--with text"),
        ({"to": "wacz", "with_": ["text", "html"]}, "--with html"),
        ({"to": "wacz", "language": ["en"]}, "--language"),
        ({"to": "urls", "language": ["english"]}, "--language 'english'"),
        ({"to": "urls", "min_length": "9", "max_length": "8"}, "--max-length 8 is less"),
        ({"to": "urls", "shard_size": "1M"}, "--shard-size"),
        ({"to": "jsonl", "output": STDOUT, "shard_size": "1M"}, "--shard-size"),
        ({"to": "huggingface", "output": STDOUT}, "--to huggingface"),
        ({"to": "urls", "status": ["ok"]}, "status"),
        ({"to": "urls", "mime": ["html"]}, "media type"),
        ({"to": "urls", "match": ["re:("]}, "regular expression"),
    ],
)
def test_flags_that_do_not_fit_the_form_are_refused(wish: dict[str, Any], word: str, home: Path) -> None:
    with pytest.raises(BadInput, match=re.escape(word)):
        export([home / "crawl"], **wish)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("export crawl --to jsonl --markdown", "--markdown is now --with markdown"),
        ("export crawl --to parquet --text", "--text is now --with text"),
        ("export crawl --to jsonl --cleaned", "--cleaned is now --with"),
        ("crawl http://127.0.0.1:1/ --clean text", "--clean is now --with"),
    ],
)
def test_a_flag_that_is_gone_names_its_successor(command: str, sentence: str, home: Path) -> None:
    done = Finished(*command.split(), cwd=home)
    assert done.code == 2
    assert done.errors == f"weft: {sentence}\n"


def test_what_is_no_crawl_folder_gets_a_sentence(tmp_path: Path) -> None:
    done = Finished("export", ".", "--to", "urls", cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_gets_a_sentence(home: Path) -> None:
    done = Finished("export", "crawl", "--to", "urls", "-o", "nowhere/urls.txt", cwd=home)
    assert done.code == 6
    assert_is_one_sentence(done)


def test_without_pyarrow_the_user_reads_how_to_get_it(home: Path, tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError")
    shadowed = {"PYTHONPATH": f"{tmp_path}:{own_environment()['PYTHONPATH']}"}
    arguments = ["export", "crawl", "--to", "parquet", "-o", str(tmp_path / "x.parquet")]
    done = Finished(*arguments, cwd=home, environment=shadowed)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert " install pyarrow" in done.errors
    assert [path.name for path in tmp_path.glob("x*")] == []


def test_a_running_crawl_is_exported_as_far_as_it_is_committed(tmp_path: Path) -> None:
    with SimProcess(LONG_WEB) as sim, running_crawl(sim, tmp_path) as process:
        for name in ("x.jsonl", "x.wacz"):
            done = Finished("export", "crawl", "--to", name.partition(".")[2], "-o", name, "-q", cwd=tmp_path)
            assert (done.code, done.errors) == (0, "")
        assert process.poll() is None, "the crawl was over too soon to tell anything"
    assert judge("wacz", "validate", "-f", tmp_path / "x.wacz").returncode == 0
    with zipfile.ZipFile(tmp_path / "x.wacz") as package:
        warcs = [package.extract(name, tmp_path) for name in package.namelist() if name.startswith("archive/")]
        records = gzip.decompress(package.read("indexes/index.cdx.gz")).count(b"\n")
    indexed = judge("cdxj-indexer", *warcs)
    assert indexed.stdout.count("\n") == records > 0
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_bytes().splitlines()]
    assert len({row["url"] for row in rows}) == len(rows) > 0


def test_where_shards_are_is_told_by_their_names(home: Path, tmp_path: Path) -> None:
    flags = ("--shard-size", "5k", "-o", str(tmp_path / "a b.jsonl"))
    done = Finished("export", "crawl", "--to", "jsonl", *flags, cwd=home)
    names = sorted(one.name for one in tmp_path.iterdir())
    assert len(names) > 1
    assert done.errors == f"Written to {tmp_path / names[0]} to {tmp_path / names[-1]}\n"


def test_standard_output_that_has_no_room_is_told_in_a_sentence(home: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            weft_command("export", "crawl", "--to", "jsonl", "-o", "-"),
            cwd=home,
            env=own_environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
    assert (done.returncode, done.stderr) == (5, "weft: cannot write to standard output: the disk is full\n")
