"""What weft gains where it knows a site's template: `python -m bench.article.sites --documents .peers/article-sites`.

Documentation of Debian packages, whose generators mark the article in a way that is known here and not to weft, and a
made blog. Of each page the lines are known that are its article, and those that are around it. The same pages are read
alone and with the template of their site: how many characters of the lines around are kept, and how many of the
article's are lost because of the template.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import turbohtml
from turbohtml import Document, Element

from weft.parse.article import SiteSamples, article_of, fingerprints_of
from weft.parse.article.blocks import blocks_of

MAX_PAGES = 150


class SitePage(NamedTuple):
    """A page and the lines of its article."""

    url: str
    markup: str
    article: list[str]


class Gain(NamedTuple):
    """Characters of a site's pages."""

    pages: int
    around_alone: int
    around_known: int
    article_alone: int
    article_lost: int


class Site(NamedTuple):
    """Pages of a package, and where the article is in them."""

    name: str
    folder: str
    article: Callable[[Document], Element | None]


def _inside(selector: str) -> Callable[[Document], Element | None]:
    return lambda page: page.select_one(selector)


def _all_but(selector: str) -> Callable[[Document], Element | None]:
    return lambda page: page.remove(selector).select_one("body")


SITES = (
    Site("python3.11-doc (Sphinx)", "python3.11", _inside("div.body")),
    Site("apache2-doc", "apache2-doc", _all_but("#page-header, #path, .toplang, .bottomlang, #footer, .up")),
    Site(
        "sqlite3-doc (by hand)",
        "sqlite3",
        _all_but('.nosearch, p:has(> [href$="changes.html"] + [href$="chronology.html"])'),
    ),
    Site("git-doc (AsciiDoc)", "git-doc", _all_but("#footer, #_git + .sectionbody")),
)


def measure(pages: Iterable[SitePage]) -> Gain:
    """What one site's pages keep and lose."""
    pages = list(pages)
    samples = SiteSamples()
    for page in pages:
        samples.add("site", page.url, fingerprints_of(turbohtml.parse(page.markup)))
    template = samples.template("site")
    kept_alone = kept_known = text_alone = lost = 0
    for page in pages:
        whole = _lines(turbohtml.parse(page.markup))
        article = set(page.article)
        alone = _lines(article_of(turbohtml.parse(page.markup)))
        known = _lines(article_of(turbohtml.parse(page.markup), template))
        kept_alone += sum(map(len, (whole - article) & alone))
        kept_known += sum(map(len, (whole - article) & known))
        text_alone += sum(map(len, article & alone))
        lost += sum(map(len, (article & alone) - known))
    return Gain(len(pages), kept_alone, kept_known, text_alone, lost)


def site_pages(site: Site, documents: Path) -> Iterator[SitePage]:
    """The pages of a package that have an article, an even choice of them."""
    files = sorted(path for path in documents.rglob("*.html*") if site.folder in path.parts and path.is_file())
    step = max(1, len(files) // MAX_PAGES)
    for path in files[::step]:
        if path.suffix not in (".html", ".en"):
            continue
        markup = path.read_text(errors="replace")
        article = site.article(turbohtml.parse(markup))
        if article is not None:
            yield SitePage(f"http://{site.folder}/{path.name}", markup, sorted(_lines(article)))


def _lines(part: Document | Element) -> set[str]:
    root = part.select_one("body") if isinstance(part, Document) else part
    return {block.text for block in blocks_of(root) if block.text} if root is not None else set()


def main() -> None:
    """Print the table."""
    from bench.article.blog import blog_pages

    parser = argparse.ArgumentParser(prog="python -m bench.article.sites", description=__doc__)
    parser.add_argument("--documents", type=Path, default=Path(".peers/article-sites"))
    options = parser.parse_args()
    print("| site | pages | around it, kept alone | kept with the template | article | lost by the template |")
    print("|---|---|---|---|---|---|")
    for name, pages in (
        *((site.name, site_pages(site, options.documents)) for site in SITES),
        ("a made blog", blog_pages()),
    ):
        gain = measure(pages)
        print(f"| {name} | {' | '.join(f'{figure:,}' for figure in gain)} |", flush=True)


if __name__ == "__main__":
    main()
