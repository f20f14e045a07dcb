"""`_marks.c` under AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tests.mirror.rewrite_asan [--pages 20000] [--seed 1]

Rewrites pages made by chance, whole and cut off anywhere, and compares each with what Python alone makes of it. Prints
what it did; fails at the first error.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from tests.mirror.nasty_pages import nasty_page
from tests.sanitized import command_line, load, run_sanitized

NAME = "weft.mirror._marks"
URL = "http://site.test/dir/page.html"


def run(pages: int, seed: int) -> str:
    """Build the marker and rewrite so many pages with it, in a process of its own. What it printed."""
    return run_sanitized("src/weft/mirror/_marks.c", "tests.mirror.rewrite_asan", pages, seed)


def rewrite_pages(library: Path, pages: int, seed: int) -> str:
    """Rewrite pages with the marker in `library`."""
    load(NAME, library)
    module = sys.modules[NAME]
    from weft.mirror.rewrite import KnownLinks, Local, Remote, Syntax, rewrite
    from weft.mirror.scan import MARKER

    assert MARKER is not None
    assert sys.modules[NAME] is module

    def target(url: str) -> Local | Remote:
        return Remote(url) if sum(url.encode()) % 2 else Local("it's-&-other.html")

    chance = random.Random(seed)
    edits = 0
    shared = KnownLinks()
    for number in range(pages):
        if number % 8 == 0:
            shared = KnownLinks()
        page = nasty_page(chance).encode()
        for body in (page, page[: chance.randrange(len(page) + 1)]):
            rewritten = rewrite(body, Syntax.HTML, "utf-8", URL, target, shared=shared)
            assert rewritten == rewrite(body, Syntax.HTML, "utf-8", URL, target, marker=None), body
            edits += rewritten.edits
    return f"{2 * pages} pages, {edits} edits: no error"


def main() -> None:
    """Run from the command line; with `--library`, in the process that has the sanitizers."""
    command_line(__doc__, run, rewrite_pages)


if __name__ == "__main__":
    main()
