"""Articles of an export are without what stands on many pages of their site."""

from __future__ import annotations

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
from weft.errors import BadInput
from weft.export import Selection, site_templates
from weft.export.site_templates import learn_templates
from weft.folder.reading import CrawlReader
from weft.parse.article.templates import LEAST_PAGES, SAMPLE_PAGES

POSTS = list(islice(blog_pages(), 12))
# Of the blog's template: before, within and after the text of each post.
TEMPLATE = ("where a few friends write", "tell a friend of yours", "write to us before you take")
FEW = LEAST_PAGES - 1
COPIED = POSTS[0]
COPIES = 6
SAID = "What stands on many pages of a site"  # in the data card


def made(url: str, number: int, status: int = 200) -> MadePage:
    return MadePage(url, POSTS[number].markup.encode(), status)


def made_pages() -> Iterator[MadePage]:
    for number, post in enumerate(POSTS):
        yield made(post.url, number)
    for number in range(FEW):  # too few, whatever else there is of their host
        yield made(f"http://few.test/{number}", number)
    for number in range(FEW, len(POSTS)):
        yield made(f"http://few.test/{number}", number, 404)
        yield MadePage(f"http://few.test/{number}.txt", b"tell a friend of yours", content_type="text/plain")
        yield made(f"http://few.test/{number}?again", 0)  # the same body
    for number in range(COPIES):  # one article, almost the same by several URLs, beside others
        body = COPIED.markup + f"<p>Seen {number} times.</p>"
        yield MadePage(f"http://copies.test/?seen={number}", body.encode())
    for number in range(1, len(POSTS)):
        yield made(f"http://copies.test/{number}", number)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with scratch_folder() as scratch:
        yield make_archive(scratch / "crawl", made_pages())


def articles(folder: Path, out: Path, **options: Any) -> dict[str, str]:
    weft.export(folder, "jsonl", out, with_="article", force=True, **options)
    return {row["url"]: row["article"] for row in map(json.loads, out.read_bytes().splitlines())}


@pytest.fixture(scope="module")
def exported(folder: Path) -> dict[str, str]:
    return articles(folder, folder.parent / "default.jsonl")


def template_in(article: str) -> list[str]:
    return [words for words in TEMPLATE if words in article]


def test_what_stands_on_many_pages_goes_and_all_of_each_article_stays(exported: dict[str, str]) -> None:
    for post in POSTS:
        assert template_in(exported[post.url]) == []
        assert [line for line in post.article if line not in exported[post.url]] == []


def test_with_no_templates_each_page_is_read_alone(folder: Path, tmp_path: Path) -> None:
    alone = articles(folder, tmp_path / "x.jsonl", no_templates=True)
    assert all(template_in(alone[post.url]) for post in POSTS)
    assert alone == {page.url: page.article() for page in weft.read(folder) if page.url in alone}


def test_of_a_host_with_few_html_pages_nothing_is_left_out(exported: dict[str, str]) -> None:
    few = {url: article for url, article in exported.items() if url.startswith("http://few.test/")}
    assert len(few) == FEW + 2 * (len(POSTS) - FEW)
    assert all(template_in(article) for article in few.values())


def test_an_article_by_several_urls_is_no_template(exported: dict[str, str]) -> None:
    for number in range(COPIES):
        article = exported[f"http://copies.test/?seen={number}"]
        assert [line for line in COPIED.article if line not in article] == []
    assert template_in(exported["http://copies.test/5"]) == []


def test_a_page_is_the_same_whichever_others_are_exported(
    folder: Path, exported: dict[str, str], tmp_path: Path
) -> None:
    url = POSTS[3].url
    assert articles(folder, tmp_path / "x.jsonl", match=[url]) == {url: exported[url]}


def test_only_samples_of_wanted_hosts_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = [
        MadePage(f"http://{host}/{number}", f"<p>{number}".encode())
        for host in ("a.test", "b.test")
        for number in range(2 * SAMPLE_PAGES)
    ]
    web += [MadePage(f"http://copies.test/{number}", b"<p>The same.") for number in range(LEAST_PAGES)]
    read: list[str] = []

    def read_pages(reader: CrawlReader, rows: Any, setup: Any) -> Iterator[Any]:
        read.extend(row.url for row in rows)
        return iter(())

    monkeypatch.setattr(site_templates, "read_pages", read_pages)
    with CrawlReader(make_archive(tmp_path / "crawl", web)) as reader:
        learn_templates(reader, Selection(patterns=["http://a.test/1"]))
        assert len(set(read)) == SAMPLE_PAGES
        assert all(url.startswith("http://a.test/") for url in read)
        read.clear()
        learn_templates(reader, Selection())
        assert len(set(read)) == 2 * SAMPLE_PAGES
        read.clear()
        monkeypatch.setattr(site_templates, "MAX_HOSTS", 1)
        learn_templates(reader, Selection())
        assert len(set(read)) == SAMPLE_PAGES


def test_what_the_crawl_kept_stays_as_it_was_kept(tmp_path: Path) -> None:
    web = [made(post.url, number) for number, post in enumerate(POSTS)]
    crawl = make_archive(tmp_path / "crawl", web, forms=("article",))
    kept = articles(crawl, tmp_path / "x.jsonl")
    assert len(kept) == len(POSTS)
    assert all(template_in(article) for article in kept.values())
    weft.export(crawl, "huggingface", tmp_path / "set", with_="article")
    assert SAID not in (tmp_path / "set" / "README.md").read_text()


def test_the_data_card_says_what_is_not_in_the_articles(folder: Path, tmp_path: Path) -> None:
    weft.export(folder, "huggingface", tmp_path / "left-out", with_="article")
    weft.export(folder, "huggingface", tmp_path / "kept", with_="article", no_templates=True)
    assert SAID in (tmp_path / "left-out" / "README.md").read_text()
    assert SAID not in (tmp_path / "kept" / "README.md").read_text()


def test_templates_have_no_meaning_without_articles(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--no-templates has no meaning without --with article"):
        weft.export(folder, "jsonl", tmp_path / "x.jsonl", with_="text", no_templates=True)
    with pytest.raises(BadInput, match="--no-templates has no meaning for --to urls"):
        weft.export(folder, "urls", tmp_path / "x.txt", no_templates=True)
