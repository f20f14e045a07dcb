"""Debian's documentation of Python, served by nginx and mirrored, in a real browser that has no network.

`tests/install-browser` brings all three. The suite looks at every fortieth page, the large run at all of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.server import Manner, free_port, served
from tests.cli.running import Finished

from .browser import browsing
from .browser_judge import Judge, Mirror, all_faults, beside, other_looks, view_live
from .mirrors import FOLDER, QUICK, summary_of

SITE = Path(__file__).parents[2] / ".browser"
ADDRESS = "127.0.0.1"
ONE_OF = 40
ALWAYS = ("/index.html", "/genindex.html", "/library/turtle.html", "/whatsnew/3.11.html")
# Scripts of these pages ask for what is named nowhere else: a picture, plus.png; a list of words, glossary.json.
DYNAMIC = ("/py-modindex.html", "/search.html")


def _pages_folder() -> Path:
    folders = sorted((SITE / "usr/share/doc").glob("python3.*/html"))
    assert folders, "Debian's documentation of Python is not here: run tests/install-browser"
    return folders[-1].resolve()


def _look(cwd: Path, *, one_of: int) -> str:
    """Mirror the site, and look at some of its pages. Gives what is wrong."""
    port = free_port()
    origin = f"http://{ADDRESS}:{port}"
    with (
        served(str(_pages_folder()), [ADDRESS], port, cwd, Manner()),
        browsing(network=True) as browser,
    ):
        summary_of(Finished("mirror", f"{origin}/index.html", "-o", FOLDER, *QUICK, "--json", cwd=cwd))
        mirror = Mirror(cwd / FOLDER)
        pages = sorted(
            url for url, path in mirror.saved().items() if path.endswith(".html") and not path.endswith(DYNAMIC)
        )
        assert len(pages) > 500
        chosen = sorted({*pages[::one_of], *(origin + path for path in ALWAYS)})
        live = view_live(browser, chosen)
    with browsing(network=False) as browser:
        pairs = beside(browser, mirror, live)
    requests = sum(len(pair.kept.requests) for pair in pairs)
    assert requests > 10 * len(pairs)
    largest = max(pairs, key=lambda pair: pair.difference)
    print(f"\n{len(pairs)} pages, {requests} requests, largest difference {largest.difference:.4%} ({largest.path})")
    judge = Judge(mirror)
    judges = (judge.requests_that_leave, judge.missing_parts, judge.wrong_links, judge.other_texts)
    faults = [find(pair) for pair in pairs for find in judges]
    return all_faults([*faults, other_looks(pairs, cwd)])


def test_pages_of_real_documentation_are_whole_and_look_the_same(tmp_path: Path) -> None:
    assert _look(tmp_path, one_of=ONE_OF) == ""


@pytest.mark.large
def test_all_pages_of_real_documentation_are_whole_and_look_the_same(tmp_path: Path) -> None:
    assert _look(tmp_path, one_of=1) == ""
