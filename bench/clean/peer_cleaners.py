# mypy: disable-error-code="import-untyped,import-not-found"
"""Other cleaners, by output, set to do what weft's presets do. Runs in the peers' environment.

Where a library has several ways, the fastest one that gives the output is taken: BeautifulSoup over lxml's parser,
trafilatura also with `fast`.
"""

from __future__ import annotations

from html.parser import HTMLParser

import lxml.html
import nh3
import trafilatura
from bs4 import BeautifulSoup, Comment, Doctype, Tag
from lxml_html_clean import Cleaner

from bench.clean.contestant import CleanText, Job, JobRules

NOT_CONTENT = (Comment, Doctype)


def cleaners(job: Job) -> dict[str, CleanText]:
    """By output and library."""
    paper, text = job["rules"]["paper"], job["rules"]["text"]
    return {
        "paper, lxml_html_clean": _lxml_by(_lxml_like(paper)),
        "paper, nh3": _nh3_like(paper, job["pages"]),
        "paper, BeautifulSoup": _soup_like(paper),
        "paper, recursion": _recursion_like(paper),
        "safe, lxml_html_clean": _lxml_by(Cleaner()),
        "safe, nh3": nh3.clean,
        "text, BeautifulSoup": _soup_text_like(text),
        "text, trafilatura": trafilatura.html2txt,
        "article, trafilatura": _trafilatura("txt", fast=False),
        "article, trafilatura fast": _trafilatura("txt", fast=True),
        "article, trafilatura Markdown": _trafilatura("markdown", fast=True),
    }


def _lxml_like(rules: JobRules) -> Cleaner:
    """All that it would do besides is switched off."""
    return Cleaner(
        kill_tags=rules["kill"],
        remove_tags=rules["unwrap"],
        comments=True,
        processing_instructions=True,
        scripts=False,  # among the tags to kill
        javascript=False,
        style=False,
        links=False,
        meta=False,
        page_structure=False,
        embedded=False,
        frames=False,
        forms=False,
        annoying_tags=False,
        remove_unknown_tags=False,
        safe_attrs_only=False,
    )


def _lxml_by(cleaner: Cleaner) -> CleanText:
    parser = lxml.html.HTMLParser(encoding="utf-8")  # it takes no text that begins with an XML declaration

    def clean(page: str) -> str:
        document = lxml.html.document_fromstring(page.encode(), parser=parser)
        cleaner(document)
        return str(lxml.html.tostring(document, encoding="unicode"))

    return clean


class _Names(HTMLParser):
    """nh3 knows only what may stay, so it has to be told all that there is."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def _nh3_like(rules: JobRules, pages: list[str]) -> CleanText:
    names = _Names()
    for page in pages:
        names.feed(page)
    killed = set(rules["kill"])
    cleaner = nh3.Cleaner(
        tags=names.tags - killed - set(rules["unwrap"]),
        clean_content_tags=killed,
        attributes={"*": names.attributes},
        strip_comments=True,
        link_rel=None,
    )
    return lambda page: str(cleaner.clean(page))


def _soup_like(rules: JobRules) -> CleanText:
    def clean(page: str) -> str:
        soup = _soup_without(page, rules["kill"])
        for tag in soup(rules["unwrap"]):
            tag.unwrap()
        for node in soup.find_all(string=lambda text: isinstance(text, NOT_CONTENT)):
            node.extract()
        return str(soup)

    return clean


def _soup_text_like(rules: JobRules) -> CleanText:
    """Text has no tags, so none need be unwrapped."""
    return lambda page: str(_soup_without(page, rules["kill"]).get_text(" "))


def _soup_without(page: str, killed: list[str]) -> BeautifulSoup:
    soup = BeautifulSoup(page, "lxml")
    for tag in soup(killed):
        tag.decompose()
    return soup


def _recursion_like(rules: JobRules) -> CleanText:
    """The paper's algorithm 1 as it stands there: the next child comes after one that stays."""
    killed = set(rules["kill"])

    def is_deleted(node: object) -> bool:
        if isinstance(node, Tag):
            return node.name in killed
        return isinstance(node, NOT_CONTENT) or not str(node).strip()

    def remove_tags(tree: Tag) -> None:
        number = 0
        while number < len(tree.contents):
            child = tree.contents[number]
            if is_deleted(child):
                child.extract()
                continue
            if isinstance(child, Tag):
                remove_tags(child)
            number += 1

    def clean(page: str) -> str:
        soup = BeautifulSoup(page, "lxml")
        remove_tags(soup)
        return str(soup)

    return clean


def _trafilatura(output_format: str, *, fast: bool) -> CleanText:
    def clean(page: str) -> str:
        return trafilatura.extract(page, output_format=output_format, fast=fast, include_comments=False) or ""

    return clean
