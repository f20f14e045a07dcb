"""`_marks.c` under AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tests.mirror.rewrite_asan [--pages 20000] [--seed 1]

Rewrites pages made by chance, whole and cut off anywhere, and compares each with what Python alone makes of it. Prints
what it did; fails at the first error.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from tests.mirror.nasty_pages import nasty_page
from tests.sanitized import load, run_sanitized

NAME = "weft.mirror._marks"
URL = "http://site.test/dir/page.html"


def run(pages: int, seed: int) -> str:
    """Build the marker and rewrite so many pages with it, in a process of its own. What it printed."""
    words = ("--pages", str(pages), "--seed", str(seed))
    return run_sanitized("src/weft/mirror/_marks.c", "tests.mirror.rewrite_asan", *words)


def rewrite_pages(library: Path, pages: int, seed: int) -> str:
    """Rewrite pages with the marker in `library`."""
    load(NAME, library)
    module = sys.modules[NAME]
    from weft.mirror.marks import MARKER
    from weft.mirror.rewrite import KnownLinks, Local, Medium, Remote, rewrite

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
            rewritten = rewrite(body, Medium.PAGE, "utf-8", URL, target, shared=shared)
            assert rewritten == rewrite(body, Medium.PAGE, "utf-8", URL, target, marker=None), body
            edits += rewritten.edits
    return f"{2 * pages} pages, {edits} edits: no error"


def main() -> None:
    """Run from the command line; with `--library`, in the process that has the sanitizers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.library:
        print(rewrite_pages(arguments.library, arguments.pages, arguments.seed))
    else:
        print(run(arguments.pages, arguments.seed), end="")


if __name__ == "__main__":
    main()
