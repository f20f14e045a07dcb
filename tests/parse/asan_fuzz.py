"""The scanner under AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tests.parse.asan_fuzz [--pages 20000] [--seed 1]

Reads pages made by chance. Prints what it did; fails at the first error.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.parse.scan_markup import ATTRIBUTES, PIECES, TAGS, VALUES
from tests.sanitized import command_line, load, run_sanitized

NAME = "weft.parse._scan"
URL = "http://example.org/dir/page.html?p"


def run(pages: int, seed: int) -> str:
    """Build the scanner and read so many pages with it, in a process of its own. What it printed."""
    return run_sanitized("src/weft/parse/_scan.c", "tests.parse.asan_fuzz", pages, seed)


def read_pages(library: Path, pages: int, seed: int) -> str:
    """Read pages with the scanner in `library`."""
    load(NAME, library)
    module = sys.modules[NAME]
    from weft.parse import parse_html
    from weft.parse.scan import Skipped, has_scanner, page_scanner, reported_urls, scan_page, take_scanned_links
    from weft.url import LinkResolver

    assert has_scanner()
    assert sys.modules[NAME] is module
    chance = random.Random(seed)
    scanned = 0
    reported = reported_urls(300, 20_000)
    assert reported is not None
    for _ in range(pages):
        markup = _markup(chance)
        cut = markup[: chance.randrange(len(markup) + 1)]
        for text in (markup, cut):
            embeds, notes = chance.random() < 0.5, chance.random() < 0.5
            scanned += scan_page(text, embeds, notes) is not None
            skipped = Skipped(reported, chance.randrange(3)) if chance.random() < 0.5 else None
            page = parse_html(
                text.encode(), URL, "text/html; charset=utf-8", embeds=embeds, notes=notes, skipped=skipped
            )
            for url in page.places:
                reported.add(url, chance.randrange(3))
            scanner = page_scanner(embeds, notes)
            assert scanner is not None
            held = b""
            for part in _parts(text.encode(), chance):
                found, done_bytes = scanner.feed(held + part, False)
                held = (held + part)[done_bytes:]
                take_scanned_links(found, {}, None, LinkResolver(URL), said={} if notes else None)
            scanner.feed(held, True)
    return f"{2 * pages} pages, {scanned} of them without a tree: no error"


def _parts(data: bytes, chance: random.Random) -> Iterator[bytes]:
    while data:
        size = chance.randint(1, 40)
        yield data[:size]
        data = data[size:]


def _markup(chance: random.Random) -> str:
    tags = chance.sample(TAGS, chance.randint(2, 8)) if chance.random() < 0.5 else TAGS
    pieces = []
    for _ in range(chance.randint(1, 25)):
        kind = chance.random()
        if kind < 0.5:
            attributes = "".join(
                f" {chance.choice(ATTRIBUTES)}{quote}{chance.choice(VALUES)}{quote}"
                for quote in chance.choices(("", '"', "'"), k=chance.randint(0, 3))
            )
            pieces.append(f"<{chance.choice(tags)}{attributes}{chance.choice(('>', '>', '/>', ''))}")
        elif kind < 0.75:
            pieces.append(f"</{chance.choice(tags)}{chance.choice(('>', '>', ''))}")
        else:
            pieces.append(chance.choice(PIECES))
    return "".join(pieces)


def main() -> None:
    """Run from the command line; with `--library`, in the process that has the sanitizers."""
    command_line(__doc__, run, read_pages)


if __name__ == "__main__":
    main()
