"""A program gets from each function what the command of its name prints and writes."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvloop

import weft
from tests.cli.running import Finished, simweb_flags
from tests.scratch import scratch_folder
from weft.errors import BadInput, BadUrl
from weft.folder.layout import load_config
from weft.simweb import SimProcess
from weft.simweb.behaviour import Behaviour, Fixed

from .site import SITE, home, quick, serving, site

MEASURED = ("seconds", "pages_per_s", "cpu_s", "engine_cpu_s", "workers_cpu_s", "main_cpu_s", "peak_rss_bytes")
FIGURES = frozenset(weft.Summary.__struct_fields__)


def pages() -> dict[tuple[str, str], Behaviour]:
    """A site with a page that is missing, and one that is left out."""
    made = site(6)
    links = b'<p><a href="/missing">x</a><a href="/private/x">x</a><img src="/image.png">'
    made[SITE, "/page0"] = Fixed(b"<!DOCTYPE html><title>More</title><script>alert(1)</script>" + links)
    made[SITE, "/image.png"] = Fixed(b"\x89PNG\r\n\x1a\n", content_type="image/png")
    return made


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    with serving(pages()) as serves:
        yield serves


@pytest.fixture(scope="module")
def place(sim: SimProcess) -> Iterator[Path]:
    """Where `weft crawl` has left a crawl in the folder `crawl`."""
    with scratch_folder() as folder:
        done = crawl_by_command(sim, folder)
        assert done.code == 0, done.errors
        (folder / "summary.json").write_text(done.out.splitlines()[-1])
        yield folder


def crawl_by_command(sim: SimProcess, cwd: Path) -> Finished:
    flags = [*simweb_flags(sim), "--scope", "host", "--exclude", "/private/*", "--json"]
    return Finished("crawl", home(sim), "-o", "crawl", *flags, cwd=cwd)


def like_the_command(sim: SimProcess) -> weft.CrawlSettings:
    return quick(sim) | {"scope": "host", "exclude": ["/private/*"]}


def counted(summary: msgspec.Struct | dict[str, Any]) -> dict[str, Any]:
    """The figures that do not depend on the machine."""
    figures = summary if isinstance(summary, dict) else msgspec.to_builtins(summary)
    return {name: value for name, value in figures.items() if name not in MEASURED}


def figures_of(status: dict[str, Any]) -> dict[str, Any]:
    """Those of the summary that do not depend on the machine."""
    return counted({name: value for name, value in status.items() if name in FIGURES})


# ── crawl ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_crawl_that_a_program_runs_to_the_end_has_the_figures_of_the_command(
    sim: SimProcess, place: Path, tmp_path: Path
) -> None:
    crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **like_the_command(sim))
    summary = asyncio.run(crawling.run())
    assert counted(summary) == counted(json.loads((place / "summary.json").read_text()))
    assert crawling.summary is summary
    assert (summary.exit, summary.pages, summary.statuses) == ("done", 7, {"200": 7, "404": 2})  # robots.txt is one
    names = {path.name for path in (place / "crawl").iterdir()}
    assert {path.name for path in (tmp_path / "crawl").iterdir()} == names


def test_a_crawl_whose_pages_are_read_leaves_the_same_report(sim: SimProcess, place: Path, tmp_path: Path) -> None:
    async def main() -> None:
        assert crawling.summary is None
        async for _ in crawling:
            pass

    crawling = weft.crawl(home(sim), output=tmp_path / "crawl", **like_the_command(sim))
    uvloop.run(main())
    told = json.loads((tmp_path / "crawl" / "report.json").read_text())
    assert figures_of(told) == figures_of(json.loads((place / "crawl" / "report.json").read_text()))
    assert crawling.summary is not None
    assert counted(crawling.summary) == figures_of(told)


# ── resume ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_crawl_goes_on_with_other_settings_and_further_seeds(sim: SimProcess, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    first = asyncio.run(weft.crawl(home(sim), output=folder, **quick(sim) | {"depth": 0, "max_time": "1h"}).run())
    assert (first.pages, first.exit) == (1, "done")
    seed = f"{home(sim)}page1"
    crawling = weft.resume(folder, seed.replace("http://", "http://me:secret@"), max_time=None, delay="1ms")

    async def main() -> list[str]:
        return [page.url async for page in crawling]

    assert asyncio.run(main()) == [seed]
    config = load_config(folder)
    assert config.seeds == (home(sim), seed)  # a login stands in no URL
    assert [login for _, login in config.auth] == ["me:secret"]
    assert (config.depth, config.max_time_s, config.delay_s) == (0, None, 0.001)


def test_what_cannot_be_changed_when_a_crawl_goes_on_is_told_by_its_name(place: Path) -> None:
    with pytest.raises(BadInput, match="another 'refuse-suffix', which cannot be changed"):
        asyncio.run(weft.resume(place / "crawl", refuse_suffix=["zip"]).run())
    with pytest.raises(BadUrl):
        asyncio.run(weft.resume(place / "crawl", "nonsense").run())


def test_what_failed_is_tried_again_when_asked(sim: SimProcess, tmp_path: Path) -> None:
    private = quick(sim) | {"allow_private": False}
    refused = asyncio.run(weft.crawl(home(sim), output=tmp_path / "crawl", allow_empty=True, **private).run())
    assert (refused.exit, refused.pages) == ("seeds-failed", 0)
    retried = asyncio.run(weft.resume(tmp_path / "crawl", retry_failed=True, allow_private=True, depth=0).run())
    assert retried.pages == 1


# ── mirror ─────────────────────────────────────────────────────────────────────────────────────────────


def files_of(root: Path) -> dict[str, bytes]:
    """The files of a mirror, without its crawl."""
    named = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(named.items()) if not name.startswith(".weft/")}


def test_a_mirror_has_the_files_and_figures_of_the_command(sim: SimProcess, tmp_path: Path) -> None:
    flags = [*simweb_flags(sim), "--scope", "host", "--json"]
    done = Finished("mirror", home(sim), "-o", "by-command", *flags, cwd=tmp_path)
    settings = quick(sim) | {"scope": "host"}
    summary = asyncio.run(weft.mirror(home(sim), output=tmp_path / "by-program", **settings))
    assert summary is not None
    assert counted(summary) == counted(done.summary())
    assert files_of(tmp_path / "by-program") == files_of(tmp_path / "by-command")
    assert f"{SITE}@{sim.http_port}/image.png" in files_of(tmp_path / "by-program")

    assert asyncio.run(weft.mirror(output=tmp_path / "by-program")) is None  # it is finished
    updated = asyncio.run(weft.mirror(output=tmp_path / "by-program", update=True))
    assert updated is not None
    assert (updated.files, updated.written, updated.exit) == (summary.files, 0, "done")


def test_a_mirror_of_other_pages_needs_another_folder(sim: SimProcess, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a mirror needs a URL"):
        asyncio.run(weft.mirror())
    settings = quick(sim) | {"scope": "host", "depth": 0}
    assert asyncio.run(weft.mirror(home(sim), output=tmp_path / "mirror", **settings)) is not None
    with pytest.raises(BadInput, match="scope can be changed with --update only"):
        asyncio.run(weft.mirror(output=tmp_path / "mirror", scope="any"))
    with pytest.raises(BadInput, match="this mirror began with"):
        asyncio.run(weft.mirror("http://other.test/", output=tmp_path / "mirror"))


# ── clean ──────────────────────────────────────────────────────────────────────────────────────────────


def test_pages_are_cleaned_as_by_the_command(place: Path, tmp_path: Path) -> None:
    flags = ["--to", "text", "--drop", "title", "--buffer-bytes", "10M", "--json"]
    done = Finished("clean", str(place / "crawl"), "by-command.jsonl", *flags, cwd=tmp_path)
    out = tmp_path / "by-program.jsonl"
    summary = asyncio.run(weft.clean(place / "crawl", out, to="text", drop=["title"], buffer_bytes="10M"))
    assert counted(summary) == counted(done.summary())
    assert (summary.cleaned, summary.exit) == (7, "done")
    assert sorted(out.read_text().splitlines()) == sorted((tmp_path / "by-command.jsonl").read_text().splitlines())


def test_rules_may_be_given_as_they_stand_in_a_file(place: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text('preset = "paper"\ndrop = ["p"]\n')
    for rules, name in ((str(tmp_path / "rules.toml"), "file"), ({"preset": "paper", "drop": ["p"]}, "mapping")):
        asyncio.run(weft.clean(place / "crawl", tmp_path / f"{name}.jsonl", rules=rules))
    written = [sorted((tmp_path / f"{name}.jsonl").read_text().splitlines()) for name in ("file", "mapping")]
    assert written[0] == written[1]
    assert "This is" not in "".join(written[0])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"to": "papyrus"}, "markdown.*papyrus"),
        ({"in_tabel": "pages"}, "no setting 'in_tabel'; did you mean 'in_table'"),
        ({"workers": 0}, "workers must be a whole number of at least 1"),
        ({"buffer_bytes": "much"}, "buffer_bytes.*10M.*'much'"),
        ({"in_table": "pages"}, "--in-table has no meaning for a crawl folder"),
        ({"rules": "missing.toml"}, "missing.toml"),
        ({"preset": "papyrus"}, "papyrus"),
    ],
)
def test_what_cannot_be_cleaned_so_is_told_in_one_sentence(
    place: Path, tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told) as caught:
        asyncio.run(weft.clean(place / "crawl", tmp_path / "out.jsonl", **options))
    assert "\n" not in str(caught.value)


# ── export, report, read ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("to", "flags", "options"),
    [
        ("urls", ["--status", "404"], {"status": ["404"]}),
        ("urls", ["--all", "--match", "/page*"], {"all": True, "match": ["/page*"]}),
        ("jsonl", ["--with", "text,html"], {"with_": ["text", "html"]}),
        ("refused", [], {}),
        ("warc", [], {}),
    ],
)
def test_an_export_is_that_of_the_command(
    place: Path, tmp_path: Path, to: str, flags: list[str], options: dict[str, Any]
) -> None:
    by_command, by_program = tmp_path / "by-command", tmp_path / "by-program"
    done = Finished("export", str(place / "crawl"), "--to", to, "-o", str(by_command), *flags, cwd=tmp_path)
    assert done.code == 0, done.errors
    assert weft.export(place / "crawl", to, by_program, **options) == by_program
    assert by_program.read_bytes() == by_command.read_bytes() != b""


def test_an_option_that_is_none_is_not_given(place: Path, tmp_path: Path) -> None:
    nothing: Any = {"match": None, "with_": None}
    weft.export(place / "crawl", "urls", tmp_path / "urls", **nothing)
    nothing = {"keep": None, "workers": "none", "rules": None}
    assert asyncio.run(weft.clean(place / "crawl", tmp_path / "out.jsonl", **nothing)).exit == "done"


def test_lines_go_to_what_is_open_for_writing(place: Path) -> None:
    out, heard = io.BytesIO(), list[tuple[int, int | None]]()
    told = weft.export(place / "crawl", "urls", out, progress=lambda amount, total: heard.append((amount, total)))
    assert told is None
    assert len(out.getvalue().splitlines()) == 7
    assert {total for _, total in heard} == {None}  # rows, of which nobody knows how many there are
    with pytest.raises(BadInput, match="needs a file"):
        weft.export(place / "crawl", "wacz", io.BytesIO())


def test_the_archive_is_exported_by_bytes_of_which_it_is_known_how_many_there_are(place: Path, tmp_path: Path) -> None:
    heard: list[tuple[int, int | None]] = []
    weft.export(
        place / "crawl", "warc", tmp_path / "all.warc.gz", progress=lambda done, total: heard.append((done, total))
    )
    assert {total for _, total in heard} == {sum(done for done, _ in heard)}


@pytest.mark.parametrize(
    ("to", "options", "told"),
    [
        ("papyrus", {}, "papyrus.*jsonl"),
        ("wacz", {"match": ["/a"]}, "--match has no meaning for --to wacz"),
        ("parquet", {"all": True}, "--all"),
        ("urls", {"with_": "text"}, "--with text"),
        ("wacz", {"with_": "html"}, "--with html"),
        ("jsonl", {"markdown": True}, 'markdown is now with_="markdown"'),
        ("jsonl", {"cleaned": True}, "cleaned is now with_"),
        ("urls", {"mach": ["/a"]}, "did you mean 'match'"),
        ("urls", {"status": ["ok"]}, "'ok' is no status"),
    ],
)
def test_an_export_that_cannot_be_is_told(place: Path, to: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        weft.export(place / "crawl", to, io.BytesIO(), **options)


def test_a_report_is_that_of_the_command(place: Path) -> None:
    done = Finished("report", "crawl", "--json", "--hosts", "1", cwd=place)
    assert msgspec.to_builtins(weft.report(place / "crawl", hosts=1)) == done.summary()


def test_pages_that_are_read_are_those_that_are_exported(place: Path, tmp_path: Path) -> None:
    done = Finished("export", "crawl", "--to", "urls", "-o", "-", cwd=place)
    assert sorted(page.url for page in weft.read(place / "crawl")) == sorted(done.out.split())


# ── names ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_function_that_shares_its_name_with_a_package_is_called_whatever_was_imported() -> None:
    program = """
import weft
before = [callable(getattr(weft, name)) for name in ("clean", "export", "mirror")]
import weft.clean.rules, weft.export, weft.mirror.site
from weft.clean import Rules
for name in ("clean", "export", "mirror"):
    assert callable(getattr(weft, name)), name
try:
    weft.export("no-such-folder", to="urls")
except weft.WeftError as error:
    print(before, error, Rules is weft.clean.Rules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[True, True, True] there is no folder no-such-folder True\n"
