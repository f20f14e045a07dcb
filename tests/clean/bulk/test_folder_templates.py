"""Articles of a crawl folder are without what stands on many pages of their site, also if a job was stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import weft
from bench.article.blog import blog_pages
from bench.made_archive import MadePage, make_archive
from tests.scratch import scratch_folder
from weft.clean import Cleaner, Form
from weft.clean.bulk import Cleaning, CleanJob
from weft.clean.bulk.files import templates
from weft.clean.bulk.files.job import open_folder_job
from weft.clean.bulk.files.source import FolderSource
from weft.clean.bulk.ports import RawPage, Result
from weft.clean.presets import PRESETS
from weft.errors import BadInput
from weft.export.site_templates import learn_templates

POSTS = list(islice(blog_pages(), 12))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with scratch_folder() as scratch:
        yield make_archive(scratch / "crawl", [MadePage(post.url, post.markup.encode()) for post in POSTS])


def cleaned(folder: Path, out: Path, **options: Any) -> dict[str, str]:
    asyncio.run(weft.clean(folder, out, to="article", **options))
    return {row["url"]: row["content"] for row in map(json.loads, out.read_bytes().splitlines())}


def no_learning(*_: object) -> dict[str, dict[int, float]]:
    raise AssertionError("it is learnt once")


def test_articles_are_those_of_an_export(folder: Path, tmp_path: Path) -> None:
    without: dict[str, Any] = {"no_templates": True}
    for wishes in ({}, without):
        out = tmp_path / "exported.jsonl"
        weft.export(folder, "jsonl", out, with_="article", force=True, **wishes)
        exported = {row["url"]: row["article"] for row in map(json.loads, out.read_bytes().splitlines())}
        assert cleaned(folder, tmp_path / f"cleaned{len(wishes)}.jsonl", **wishes) == exported
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cleaned0.jsonl", "cleaned1.jsonl", "exported.jsonl"]


def test_a_job_that_goes_on_makes_its_articles_as_before(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cleaned(folder, tmp_path / "whole.jsonl")
    cleaner, out = Cleaner(PRESETS["none"], Form.ARTICLE), tmp_path / "out.jsonl"

    def result_of(page: RawPage) -> Result:
        return Result(page, cleaner.clean(page.content, page.url, page.content_type, page.template))

    for rows in (4, 100):
        source, sink = open_folder_job(folder, out, form=Form.ARTICLE, uses_templates=True)
        while pages := source.read(rows):
            sink.write([result_of(page) for page in pages])
            if rows == 4:
                break
        sink.close()
        assert (tmp_path / "out.jsonl.templates").exists() == (rows == 4)
        monkeypatch.setattr(templates, "learn_templates", no_learning)
    rows_written = map(json.loads, out.read_bytes().splitlines())
    assert {row["url"]: row["content"] for row in rows_written} == whole


def test_an_output_begun_otherwise_is_not_gone_on_with(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source, sink = open_folder_job(folder, out, form=Form.ARTICLE, settings="{}", uses_templates=True)
    sink.write([Result(page, None, "no") for page in source.read(4)])
    sink.close()
    with pytest.raises(BadInput, match="was begun by"):
        cleaned(folder, out, no_templates=True)
    assert len(cleaned(folder, out, no_templates=True, force=True)) == len(POSTS)
    assert not (tmp_path / "out.jsonl.templates").exists()


def test_a_stop_while_templates_are_learnt_leaves_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, sink = open_folder_job(folder, tmp_path / "out.jsonl", form=Form.ARTICLE, uses_templates=True)
    assert isinstance(source, FolderSource)
    cleaning = Cleaning(CleanJob(source, sink), PRESETS["none"], Form.ARTICLE)

    def learn_and_stop(*given: Any) -> dict[str, dict[int, float]]:
        cleaning.stop()
        return learn_templates(*given)

    monkeypatch.setattr(templates, "learn_templates", learn_and_stop)
    assert asyncio.run(cleaning.run()) is False
    assert cleaning.totals.pages == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl.progress"]


@pytest.mark.parametrize(
    ("source", "out", "wishes", "said"),
    [
        ("crawl", "x.jsonl", {"to": "text"}, "without --to article"),
        ("in.db", "out.db", {"to": "article"}, "for tables"),
    ],
)
def test_no_templates_where_there_are_none(source: str, out: str, wishes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        asyncio.run(weft.clean(source, out, no_templates=True, **wishes))
