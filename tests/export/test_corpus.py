"""Exports for makers of corpora: pages left out for what they say, shards, a folder for Hugging Face."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import weft
from bench.made_archive import MadePage, make_archive
from tests.cli.running import WITHIN_S, own_environment
from tests.scratch import scratch_folder
from tests.warm_weft import WarmWeft
from weft.errors import BadInput
from weft.export import data_card, huggingface, reading
from weft.export.content import Content, told_of
from weft.export.huggingface import SPLIT

ENGLISH = "The people of the village had known for a long time that the river would rise again in spring. "
GERMAN = "Die Leute im Dorf wussten schon seit langer Zeit, dass der Fluss im Frühjahr wieder steigen würde. "
COPIES = 3


def text_of(number: int, sentence: str) -> str:
    """Some that has nothing in common with others but its language."""
    words = sentence.split()
    return " ".join(f"{word} {(number * 7919 + at * 104729) % 99991}" for at, word in enumerate(words * 4))


def html(text: str, lang: str = "en") -> bytes:
    return f"<html lang={lang}><title>T</title><p>{text}</p>".encode()


def made_pages() -> Iterator[MadePage]:
    for number in range(30):
        yield MadePage(f"http://site.test/en/{number}", html(text_of(number, ENGLISH)))
    for number in range(20):  # these say that they are English, and are not
        yield MadePage(f"http://site.test/de/{number}", html(text_of(number + 100, GERMAN)))
    for number in range(COPIES):
        yield MadePage(f"http://site.test/copy/{number}", html(text_of(7, ENGLISH) + f" <p>{number}"))
    yield MadePage("http://site.test/short", html("Short."))
    yield MadePage("http://site.test/picture", b"\x89PNG\r\n\x1a\n\0\0", content_type="image/png")
    yield MadePage("http://site.test/gone", html("Gone."), 404)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with scratch_folder() as scratch:
        yield make_archive(scratch / "crawl", made_pages())


def run(command: list[str], cwd: Path, crash_at: str = "") -> tuple[int, str]:
    """How `weft` ends, and what it says of errors."""
    environment = own_environment() | ({"WEFT_CRASH_AT": crash_at} if crash_at else {})
    ran = WarmWeft(*command, environment=environment, cwd=cwd)
    _, errors = ran.communicate(timeout=WITHIN_S)
    return ran.returncode, errors.decode()


def urls(folder: Path, out: Path, **options: Any) -> list[str]:
    weft.export(folder, "urls", out, force=True, **options)
    return out.read_text().splitlines()


def test_the_language_is_that_of_the_text_whatever_the_page_says(folder: Path, tmp_path: Path) -> None:
    german = urls(folder, tmp_path / "urls", language="de")
    assert sorted(german) == sorted(f"http://site.test/de/{number}" for number in range(20))
    both = urls(folder, tmp_path / "urls", language=["de", "eng"])
    assert len(both) == 20 + 30 + COPIES + 1  # too short to tell: what the page says counts


def test_lengths_are_those_of_the_text(folder: Path, tmp_path: Path) -> None:
    assert sorted(urls(folder, tmp_path / "urls", max_length=10)) == [
        "http://site.test/picture",
        "http://site.test/short",
    ]
    assert urls(folder, tmp_path / "urls", min_length=6, max_length=6) == ["http://site.test/short"]


def test_of_near_duplicates_the_first_stays_and_it_is_always_the_same(folder: Path, tmp_path: Path) -> None:
    all_of_them = urls(folder, tmp_path / "urls")
    alike = [url for url in all_of_them if "/copy/" in url or url.endswith("/en/7")]
    left = urls(folder, tmp_path / "urls", no_near_duplicates=True)
    assert len(alike) == COPIES + 1
    assert left == [url for url in all_of_them if url not in alike[1:]]


def test_the_number_of_processes_changes_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wish: Any = {"with_": ["text", "article"], "language": "en", "no_near_duplicates": True}
    monkeypatch.setattr(reading, "PAGES_AT_ONCE", 1_000)
    weft.export(folder, "jsonl", tmp_path / "one.jsonl", **wish)
    monkeypatch.setattr(reading, "PAGES_AT_ONCE", 3)
    weft.export(folder, "jsonl", tmp_path / "several.jsonl", **wish)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "several.jsonl").read_bytes()
    assert len((tmp_path / "one.jsonl").read_bytes().splitlines()) == 31


@pytest.mark.parametrize("to", ["jsonl", "parquet"])
def test_shards_hold_together_what_one_file_holds(folder: Path, tmp_path: Path, to: str) -> None:
    weft.export(folder, to, tmp_path / f"whole.{to}", with_="text")
    weft.export(folder, to, tmp_path / f"part.{to}", with_="text", shard_size=40_000)
    shards = sorted(tmp_path.glob("part*"))
    assert [one.name for one in shards] == [f"part-{number:05}.{to}" for number in range(1, len(shards) + 1)]
    assert len(shards) >= 2
    assert all(one.stat().st_size <= 40_000 for one in shards)
    if to == "jsonl":
        assert b"".join(one.read_bytes() for one in shards) == (tmp_path / "whole.jsonl").read_bytes()
    else:
        tables = [pyarrow.parquet.read_table(one) for one in shards]
        assert pyarrow.concat_tables(tables).equals(pyarrow.parquet.read_table(tmp_path / "whole.parquet"))
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_a_rerun_replaces_all_shards_and_only_if_told_to(folder: Path, tmp_path: Path) -> None:
    weft.export(folder, "jsonl", tmp_path / "x.jsonl", with_="text", shard_size="10K")
    (tmp_path / "x-notes.jsonl").write_text("mine")
    with pytest.raises(BadInput, match=r"x-00001\.jsonl is there already; --force"):
        weft.export(folder, "jsonl", tmp_path / "x.jsonl", with_="text", shard_size="1M")
    weft.export(folder, "jsonl", tmp_path / "x.jsonl", with_="text", shard_size="1M", force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x-00001.jsonl", "x-notes.jsonl"]


@pytest.mark.parametrize(("to", "place"), [("jsonl", "."), ("parquet", "."), ("huggingface", "data")])
def test_a_kill_leaves_no_shard_that_is_not_whole_and_the_next_run_cleans_up(
    folder: Path, tmp_path: Path, to: str, place: str
) -> None:
    out = tmp_path / ("set" if to == "huggingface" else f"x.{to}")
    command = ["export", str(folder), "--to", to, "--with", "text", "-o", str(out), "--shard-size", "15K", "-q"]
    assert run(command, tmp_path, crash_at="shard-written:2")[0] == -9
    home = out if to == "huggingface" else tmp_path
    assert [path for path in (home / place).glob("*") if path.is_file()] == []
    assert run(command, tmp_path) == (0, "")
    assert len(list((home / place).glob("*-0*"))) > 2
    assert [path.name for path in home.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("to", "killed_at"),
    [
        ("jsonl", "shard-committed:1"),
        ("jsonl", "shard-moved:1"),
        ("jsonl", "shard-moved:2"),
        ("huggingface", "shard-moved:1"),
    ],
)
def test_a_kill_while_shards_get_their_names_leaves_whole_ones_and_the_next_run_moves_the_others(
    folder: Path, tmp_path: Path, to: str, killed_at: str
) -> None:
    out = tmp_path / ("set" if to == "huggingface" else "x.jsonl")
    whole = tmp_path / ("whole" if to == "huggingface" else "whole.jsonl")
    weft.export(folder, to, whole, with_="text", shard_size="15K")
    weft.export(folder, to, out, with_="text", shard_size="5K")  # more of them
    command = ["export", str(folder), "--to", to, "--with", "text", "-o", str(out), "--shard-size", "15K", "-q"]
    assert run([*command, "--force"], tmp_path, crash_at=killed_at)[0] == -9

    def shards(name: str) -> dict[str, bytes]:
        found = (tmp_path / name / "data").iterdir() if to == "huggingface" else tmp_path.glob(f"{name}-0*")
        return {path.name.removeprefix(name): path.read_bytes() for path in found if path.is_file()}

    code, errors = run(command, tmp_path)
    assert (code, "is there already" in errors) == (2, True)
    assert shards(out.stem) == shards("whole")
    assert run([*command, "--force"], tmp_path) == (0, "")
    assert shards(out.stem) == shards("whole")


def test_a_kill_between_two_folders_of_shards_leaves_the_earlier_one(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    weft.export(folder, "huggingface", out, with_="text")
    earlier = (out / "data/train-00001.parquet").read_bytes()
    command = ["export", str(folder), "--to", "huggingface", "-o", str(out), "-q"]
    assert run([*command, "--force"], tmp_path, crash_at="shards-aside:1")[0] == -9
    assert run(command, tmp_path)[0] == 2  # it is there already
    assert (out / "data/train-00001.parquet").read_bytes() == earlier


def test_an_interrupt_between_two_folders_of_shards_leaves_the_earlier_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(name: str) -> None:
        if name == "shards-aside":
            raise KeyboardInterrupt

    out = tmp_path / "set"
    weft.export(folder, "huggingface", out)
    earlier = (out / "data/train-00001.parquet").read_bytes()
    monkeypatch.setattr(huggingface, "crash_point", interrupted)
    with pytest.raises(KeyboardInterrupt):
        weft.export(folder, "huggingface", out, with_="text", force=True)
    assert (out / "data/train-00001.parquet").read_bytes() == earlier
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "data"]


def test_a_folder_for_hugging_face_has_shards_and_a_card(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    wish: Any = {"with_": "text", "language": ["en"], "min_length": 50, "no_near_duplicates": True}
    assert weft.export(folder, "huggingface", out, **wish) == out
    table = pyarrow.parquet.read_table(out / "data" / f"{SPLIT}-00001.parquet")
    assert table.num_rows == 30
    assert table.column_names[-1] == "text"
    assert set(table["content_languages"].to_pylist()) == {"eng"}
    head, _, card = (out / "README.md").read_text().removeprefix("---\n").partition("---\n")
    assert '- split: train\n    path: "data/*.parquet"\n' in head
    assert 'language:\n- "en"\nsize_categories:\n- n<1K\n' in head
    assert "# license:" in head
    for row in (
        "| too short | 2 |",
        "| another language | 20 |",
        f"| near duplicate | {COPIES} |",
        "| `text` | string |",
    ):
        assert row in card
    assert "| not chosen by URL, media type or status | 1 |" in card


def test_a_license_that_was_filled_in_stays(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    (out / ".git").mkdir(parents=True)
    weft.export(folder, "huggingface", out)
    card = out / "README.md"
    card.write_text(card.read_text().replace(data_card._LICENSE, "license: cc-by-4.0"))
    with pytest.raises(BadInput, match="is there already; --force"):
        weft.export(folder, "huggingface", out)
    weft.export(folder, "huggingface", out, force=True)
    assert card.read_text().startswith("---\nlicense: cc-by-4.0\n")
    assert (out / ".git").is_dir()


@pytest.mark.parametrize(
    ("rows", "category"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (5_000_000, "1M<n<10M"), (10**12, "n>1T")],
)
def test_sizes_have_the_names_of_the_hub(rows: int, category: str) -> None:
    assert data_card.size_category(rows) == category


def test_lines_tell_what_the_page_says_and_what_its_text_is(folder: Path, tmp_path: Path) -> None:
    weft.export(folder, "jsonl", tmp_path / "x.jsonl", match=["*/de/3"], with_="text")
    (row,) = map(json.loads, (tmp_path / "x.jsonl").read_bytes().splitlines())
    assert (row["language"], row["detected_language"]) == ("en", "de")


def test_addresses_are_in_no_language() -> None:
    place = "https://site.test/the/people/of/the/village/had/known"
    links = " ".join(f"[{word}]({place}/{word})" for word in GERMAN.split())
    page = weft.Page.from_html(f"<p>{GERMAN}</p><p>https://site.test/{'the-people-of-the-village-' * 40}</p>")
    for kept, form in ((links, "article"), (None, "text")):
        told = told_of(page, {form: kept} if kept else {}, Content(forms=(form,)))  # type: ignore[arg-type]
        assert told.detected_language == "de"
    pictures = weft.Page.from_html("<body>" + "<img src=a.png alt='A picture'>" * 5)
    assert told_of(pictures, {}, Content(forms=("article",))).detected_language == ""


def test_addresses_that_never_end_cost_no_more() -> None:
    for trap in ("](", "](a", "https://", "http", "(", "]"):
        spent = []
        for times in (100_000, 400_000):
            began = time.process_time()
            told_of(None, {"text": trap * times}, Content(forms=("text",)))
            spent.append(time.process_time() - began)
        assert spent[1] < 12 * spent[0] + 0.5


@pytest.mark.parametrize("word", ["xx", "qq-DE", "english", "e", "*"])
def test_what_is_no_language_is_refused(word: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no language"):
        urls(folder, tmp_path / "urls", language=word)
