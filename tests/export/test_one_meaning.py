"""html, text, markdown and article mean the same everywhere: crawl, export, clean, get and Page write the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import weft
from bench.made_archive import MadePage, make_archive
from tests.scratch import scratch_folder
from weft.cli.get_page import written_as
from weft.config import CrawlConfig, PageForm
from weft.folder.reading import CrawlReader
from weft.page.extract import Extraction
from weft.types import Link

FORMS: tuple[PageForm, ...] = get_args(PageForm)
PROSE = "<p>" + "Words of the story follow each other, one by one, and there are many of them. " * 8
PAGES = [
    MadePage(
        "http://site.test/story/",
        f"""<!DOCTYPE html><html lang=en><head><title>A story</title><base href=/other/>
        <style>p {{}}</style></head><body>
        <nav><ul><li><a href=/>Home</a><li><a href=news>News</a></ul></nav><!-- remark --><div hidden>unseen</div>
        <template><p>inert</template><div><template shadowrootmode=open><p>shadow</template>host</div>
        <main><h1>The story</h1>{PROSE}<br>broken <b>line</b> <a href=next?a=1#b>next</a> <button>Copy</button>
        <svg><title>icon</title><text>drawn</text></svg><img src=a.png alt=A><pre>  code\n  more</pre>
        <table><tr><th>a<th>b<tr><td>1<td>2</table><form><input value=x><label>Name</label><select><option>o</select>
        </form></main><aside>Other stories</aside><footer>Imprint</footer><script>no()</script></body>""".encode(),
    ),
    MadePage(
        "http://site.test/umlaut",
        "<title>Grüße</title><body><p>Grüße aus Köln, <a href=/suche?q=ü>und mehr".encode("cp1252"),
        content_type="text/html; charset=windows-1252",
    ),
    MadePage("http://site.test/deep", b"<div>" * 2_000 + b"deep down <span>it says</span> little"),
    MadePage("http://site.test/short", b"<p>One line."),
]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with scratch_folder() as scratch:
        yield make_archive(scratch / "crawl", PAGES)


def by_page(folder: Path, form: PageForm) -> dict[str, str]:
    write: dict[str, Callable[[weft.Page], str]] = {
        "html": lambda page: page.html,
        "text": lambda page: page.text,
        "markdown": lambda page: page.markdown(),
        "article": lambda page: page.article(),
    }
    return {page.url: write[form](page) for page in weft.read(folder)}


def by_crawl(folder: Path, form: PageForm) -> dict[str, str]:
    kept: dict[str, str] = {}
    extraction = Extraction(CrawlConfig(with_forms=(form,)))
    with CrawlReader(folder) as reader:
        for row in reader.rows():
            (one,) = extraction.forms(Link(row.url, 0), reader.response(row))
            kept[row.url] = one.content
    return kept


def by_export(folder: Path, form: PageForm) -> dict[str, str]:
    out = folder.parent / f"export-{form}.jsonl"
    weft.export(folder, "jsonl", out, with_=[form])
    return {row["url"]: row[form] for row in map(json.loads, out.read_bytes().splitlines())}


def by_clean(folder: Path, form: PageForm) -> dict[str, str]:
    out = folder.parent / f"clean-{form}.jsonl"
    # That it deletes something is what `clean --to html` is for; asked to delete nothing, it does not.
    options: Any = {"preset": "none"} if form == "html" else {}
    asyncio.run(weft.clean(folder, out, to=form, workers=1, force=True, **options))
    return {row["url"]: row["content"] for row in map(json.loads, out.read_bytes().splitlines())}


def by_get(folder: Path, form: PageForm) -> dict[str, str]:
    return {page.url: written_as(page, form).decode() for page in weft.read(folder)}


@pytest.mark.parametrize("form", FORMS)
def test_a_page_is_the_same_by_crawl_export_clean_get_and_page(folder: Path, form: PageForm) -> None:
    expected = by_page(folder, form)
    assert len(expected) == len(PAGES)
    assert by_crawl(folder, form) == expected
    assert by_export(folder, form) == expected
    assert by_clean(folder, form) == expected
    # A terminal's line ends with a line feed.
    assert by_get(folder, form) == {url: text.removesuffix("\n") + "\n" for url, text in expected.items()}


def test_markdown_is_the_whole_page_and_article_its_main_content(folder: Path) -> None:
    url = PAGES[0].url
    whole, article = by_clean(folder, "markdown")[url], by_page(folder, "article")[url]
    for words in ("[Home](http://site.test/)", "Other stories", "Imprint", "# The story"):
        assert words in whole
    assert "# The story" in article
    assert "Other stories" not in article
    assert "Imprint" not in article


def test_the_old_way_to_ask_for_an_article_still_works_and_names_the_new_one() -> None:
    page = weft.Page.from_html(PAGES[0].body)
    with pytest.warns(DeprecationWarning, match=r"is now page\.article\(\)"):
        assert page.markdown(main_only=True) == page.article()


def test_what_the_crawl_kept_is_what_is_exported(tmp_path: Path) -> None:
    web = [MadePage("http://site.test/", b"<p>kept")]
    folder = make_archive(tmp_path / "crawl", web, forms=("text",), preset="text")
    with CrawlReader(folder) as reader:
        assert reader.config.with_forms == ("text",)
    assert by_export(folder, "text") == {web[0].url: "kept"}
