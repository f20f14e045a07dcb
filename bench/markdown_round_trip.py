"""Whether the Markdown of real pages, rendered again, holds what the pages hold.

    python -m bench.markdown_round_trip FOLDER [--pages 500] [--show 3] [--kind links]

Each HTML file of the folder is written as Markdown, whole and its article alone; markdown-it-py, with tables and
strikethrough as GitHub has them, renders that; and what it holds is compared with the page's own tree.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import turbohtml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from turbohtml import Document

from bench.markdown_contents import KINDS, contents_of
from tests.html_files import html_files
from weft.parse import decode
from weft.parse.markdown import not_written_in, page_markdown, shown_part
from weft.parse.tree import tree_of

BASE_URL = "http://example.org/folder/page.html"
RENDERER = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
FAULTS = ("empty link", "empty item", "empty heading", "raw HTML", "pilcrow")


@dataclass(frozen=True, slots=True)
class Difference:
    kind: str
    expected: str
    found: str


def differences(document: Document, markdown: str, *, main_only: bool, charset: str = "utf-8") -> list[Difference]:
    """What the Markdown of a page holds otherwise than the page, and faults that no Markdown may have."""
    shown = shown_part(document, main_only=main_only)
    expected = contents_of(shown, BASE_URL, charset, not_written_in(shown))
    tokens = RENDERER.parse(markdown)
    rendered = turbohtml.parse(RENDERER.renderer.render(tokens, RENDERER.options, {}))
    found = contents_of(rendered, BASE_URL, "utf-8", frozenset())
    differing = [
        Difference(kind, *_first_difference(getattr(expected, kind), getattr(found, kind)))
        for kind in KINDS
        if getattr(expected, kind) != getattr(found, kind)
    ]
    return differing + _faults(tokens, rendered)


def _first_difference(expected: list[object], found: list[object]) -> tuple[str, str]:
    shorter = min(len(expected), len(found))
    place = next((index for index in range(shorter) if expected[index] != found[index]), shorter)
    around = slice(max(0, place - 2), place + 4)
    return str(expected[around])[:400], str(found[around])[:400]


def _faults(tokens: list[Token], rendered: Document) -> list[Difference]:
    faults = {
        "empty link": [link for link in rendered.select("a") if not link.text.strip() and not link.select_one("img")],
        "empty item": [item for item in rendered.select("li") if not item.text.strip() and not item.select_one("img")],
        "empty heading": [
            heading
            for heading in rendered.select("h1, h2, h3, h4, h5, h6")
            if not heading.text.strip() and not heading.select_one("img")
        ],
        "raw HTML": [
            inner
            for token in tokens
            for inner in (token, *(token.children or ()))
            if inner.type in ("html_block", "html_inline")
        ],
        "pilcrow": [heading for heading in rendered.select("h1, h2, h3, h4, h5, h6") if heading.text.endswith("¶")],
    }
    return [Difference(kind, "", str(where[0])[:200]) for kind, where in faults.items() if where]


def main() -> None:
    arguments = _read_arguments()
    files = html_files(arguments.folder)
    if not files:
        raise SystemExit(f"no HTML file in {arguments.folder}")
    sample = random.Random(1).sample(files, min(arguments.pages, len(files)))
    for main_only in (False, True):
        counts: Counter[str] = Counter()
        for path in sample:
            text, charset = decode(path.read_bytes())
            document = tree_of(text)
            markdown = page_markdown(document, BASE_URL, charset=charset, main_only=main_only)
            found = differences(document, markdown, main_only=main_only, charset=charset)
            counts["any"] += bool(found)
            for difference in found:
                counts[difference.kind] += 1
                if counts[difference.kind] <= arguments.show and arguments.kind in ("", difference.kind):
                    print(f"{path}: {difference.kind}\n  - {difference.expected}\n  + {difference.found}")
        print(f"{'articles' if main_only else 'whole pages'}: {len(sample)}; with a difference in")
        print("  " + ", ".join(f"{kind} {counts[kind]}" for kind in ("any", *KINDS, *FAULTS)))


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=500, help="as many of the files, always the same")
    parser.add_argument("--show", type=int, default=0, help="differences of each kind")
    parser.add_argument("--kind", default="", help="show only these")
    return parser.parse_args()


if __name__ == "__main__":
    main()
