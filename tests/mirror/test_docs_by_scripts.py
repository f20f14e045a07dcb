"""Documentation by five generators that live by their scripts: mirrored, and used in a real browser.

Their trees of contents, menus and searches must do on `weft serve` what they do on their own server, and from the disk
as far as browsers allow. `tests/install-docs` brings the pages.
"""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.running import Finished

from .browser import browsing
from .mirrors import FOLDER, QUICK, summary_of
from .served_mirror import Step, differences, served_mirror, walk

DOCS = Path(__file__).parents[2] / ".docs"
DEBIAN = "usr/share/doc"
MOST_MISSED = 0.01  # of all requests: guesses that are not there …
FEW_MISSED = 6  # … or, of a site of few pages, these


@dataclass(frozen=True)
class Documentation:
    """Pages of one generator, and what one does with them."""

    folder: str
    start: str
    steps: Sequence[Step]
    flags: Sequence[str] = ()
    from_disk: Sequence[Step] = ()  # what a browser allows there
    guesses: int = 0  # at least so many are there


def _typed(field: str, words: str) -> str:
    """Type into a field, as far as scripts can tell."""
    return f"""(() => {{
        const field = document.querySelector('{field}');
        field.focus(); field.value = '{words}';
        for (const type of ['keydown', 'keypress', 'input', 'keyup'])
            field.dispatchEvent(type == 'input' ? new Event(type, {{bubbles: true}})
                                                : new KeyboardEvent(type, {{key: 'x', keyCode: 88, bubbles: true}}));
    }})()"""


_TREE = Step("/index.html", "document.querySelector('#nav-tree-contents').innerText.includes('Geometry')"
             " && document.querySelector('#nav-tree-contents').innerText")  # fmt: skip
_BRANCH = Step("/classEigen_1_1DenseBase.html", "document.querySelectorAll('#nav-tree-contents .selected').length"
               " && document.querySelectorAll('#nav-tree-contents .item').length > 20"
               " && document.querySelector('#nav-tree-contents .selected').innerText")  # fmt: skip
_COMPLETED = """(async () => {
    while (!window.tagSearchIndex || !jQuery('#search-input').catcomplete) await new Promise(go => setTimeout(go, 50));
    await new Promise(go => setTimeout(go, 300));
    jQuery('#search-input').val('DocumentBuilderF').catcomplete('search');
})()"""
_SEARCHED = (
    "document.querySelector('.search-summary').innerText.match(/found \\d+|finished/)"
    " && [...document.querySelectorAll('#search-results li > a')].slice(0, 5).map(a => a.innerText).join()"
)

_TOGGLED = Step(
    "/py-modindex.html",
    "document.querySelector('img.toggler')?.naturalWidth && document.querySelector('img.toggler').src.split('/').pop()",
    "document.querySelector('img.toggler').click()",
)

GENERATORS = {
    "doxygen": Documentation(
        f"{DEBIAN}/libeigen3-dev/html",
        "/index.html",
        (
            _TREE,
            _BRANCH,
            Step("/index.html", "document.querySelector('#nav-sync img').naturalWidth"),
            Step(
                "/index.html",
                "frames['MSearchResults'].document.querySelectorAll('.SRResult').length"
                " && [...frames['MSearchResults'].document.querySelectorAll('.SRResult')]"
                ".filter(one => one.style.display == 'block').map(one => one.innerText).join()",
                _typed("#MSearchField", "jacobi"),
            ),
        ),
        flags=("--exclude", "*/unsupported/*"),
        from_disk=(_TREE, _BRANCH),
        guesses=300,
    ),
    "javadoc": Documentation(
        f"{DEBIAN}/openjdk-17-jre-headless/api",
        "/java.xml/module-summary.html",
        (
            Step("/java.xml/module-summary.html", "typeof pathtoroot == 'string' && window.memberSearchIndex?.length"),
            Step(
                "/java.xml/javax/xml/parsers/DocumentBuilder.html",
                "document.querySelectorAll('.ui-menu-item').length"
                " && [...document.querySelectorAll('.ui-menu-item')].slice(0, 5).map(one => one.innerText).join()",
                _COMPLETED,
            ),
        ),
        flags=("--scope", "prefix"),
        from_disk=(
            Step("/java.xml/module-summary.html", "typeof pathtoroot == 'string' && window.memberSearchIndex?.length"),
        ),
        guesses=5,
    ),
    "sphinx": Documentation(
        f"{DEBIAN}/python3.11/html",
        "/index.html",
        (
            Step("/search.html?q=zipimporter", _SEARCHED),
            _TOGGLED,
        ),
        from_disk=(_TOGGLED,),  # its search asks for the pages that it found, which no browser allows there
        guesses=1,
    ),
    "mdbook": Documentation(
        f"{DEBIAN}/rust-doc/html/book",
        "/index.html",
        (
            Step("/index.html", "document.querySelectorAll('#sidebar a').length"),
            Step("/index.html", "document.documentElement.classList.contains('sidebar-visible') + ' seen'",
                 "document.querySelector('#sidebar-toggle').click()"),
            Step("/ch01-00-getting-started.html", "document.querySelector('#theme-list').style.display || 'shown'",
                 "document.querySelector('#theme-toggle').click()"),
        ),
        from_disk=(Step("/index.html", "document.querySelectorAll('#sidebar a').length"),),
    ),
    "mkdocs": Documentation(
        "mkdocs/site",
        "/index.html",
        (
            Step(
                "/guide/one/",
                "document.querySelectorAll('.md-search-result__item').length"
                " && document.querySelector('.md-search-result__list').innerText",
                _typed(".md-search__input", "walrus"),
            ),
            Step("/", "document.querySelectorAll('.md-tabs__link').length"),
        ),
        guesses=2,
    ),
}  # fmt: skip

OTHERS = (
    ("python-django-doc/html", "/index.html"),
    ("postgresql-doc-15/html", "/index.html"),
    ("git-doc", "/index.html"),
    ("libglib2.0-doc", "/glib/index.html"),
    ("octave/octave.html", "/index.html"),
    ("nodejs/api", "/index.html"),
    ("debian-reference-en", "/"),
)


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the name is the parent's
        """Say nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    handler = functools.partial(_Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(10)


def _guesses(mirror: Path) -> tuple[int, list[str]]:
    """How many were asked for, and which are not there."""
    rows = [json.loads(line) for line in (mirror / ".weft" / "pages.jsonl").read_text().splitlines()]
    guesses = [row for row in rows if row["kind"] == "guess"]
    missed = [row["url"] for row in guesses if row["status"] >= 400]
    print(f"{len(guesses)} guesses, {len(missed)} missed of {len(rows)} URLs")
    return len(guesses), missed


@pytest.mark.large
@pytest.mark.parametrize(("folder", "start"), OTHERS)
def test_of_what_is_asked_for_next_to_nothing_is_a_guess_that_is_not_there(
    folder: str, start: str, tmp_path: Path
) -> None:
    assert (DOCS / DEBIAN / folder).is_dir(), f"{folder} is not here: run tests/install-docs"
    with _served((DOCS / DEBIAN / folder).resolve()) as origin:
        done = Finished("mirror", f"{origin}{start}", "-o", FOLDER, *QUICK, "--json", cwd=tmp_path, within_s=900)
    requests = done.summary()["requests"]
    _, missed = _guesses(tmp_path / FOLDER)
    assert len(missed) <= MOST_MISSED * requests, missed


@pytest.mark.large
@pytest.mark.parametrize("generator", GENERATORS)
def test_documentation_does_on_a_mirror_what_it_does_on_its_server(generator: str, tmp_path: Path) -> None:
    docs = GENERATORS[generator]
    folder = DOCS / docs.folder
    assert folder.is_dir(), f"{folder} is not here: run tests/install-docs"
    with _served(folder.resolve()) as origin, browsing(network=True) as browser:
        arguments = (f"{origin}{docs.start}", "-o", FOLDER, *QUICK, *docs.flags, "--json")
        summary = summary_of(Finished("mirror", *arguments, cwd=tmp_path, within_s=900))
        live = walk(browser, origin, docs.steps)
    mirror = tmp_path / FOLDER
    with served_mirror(mirror) as address, browsing(network=True) as browser:
        kept = walk(browser, address, docs.steps, origin)
    print(f"\n{generator}: {summary['files']} files, {summary['requests']} requests, {live.values}")
    assert differences(live, kept) == []
    assert len(live.asked & kept.asked) > 3

    guesses, missed = _guesses(mirror)
    assert guesses - len(missed) >= docs.guesses
    assert len(missed) <= max(MOST_MISSED * summary["requests"], FEW_MISSED), missed

    if docs.from_disk:
        (site,) = [path for path in mirror.iterdir() if path.name.startswith("127.")]
        with browsing(network=False) as browser:
            disk = walk(browser, site.as_uri(), docs.from_disk, origin)
        shown = [value for step, value in zip(docs.steps, live.values, strict=True) if step in docs.from_disk]
        assert disk.values == shown
        assert {path for path in disk.failures if path not in live.failures} == set()
