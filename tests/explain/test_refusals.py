"""Each reason for which a URL is refused is told by the rule that refused it, in real crawls of a site on loopback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import weft
from tests.pipeline.live_site import Answer, LiveSite, html, links, redirect, served
from tests.pipeline.test_session_ids import Board
from tests.scratch import scratch_folder
from weft.explain.refusal import TRAPS
from weft.explain.result import State, UrlExplanation
from weft.filter.traps import TRAP_RULES
from weft.types import Refusal

FILTER = f"{__package__}.filters:by_word"
ROBOTS = "# keep out\n\nUser-agent: *\nAllow: /\nDisallow: /private/ # of the owner\n"
LONG = "/" + "x" * 300
SID = "0123456789abcdef0123456789abcdef"


def site_of(path: str, headers: Mapping[str, str]) -> Answer:
    if path == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, ROBOTS
    if path.startswith("/round/"):
        return redirect(f"/round/{int(path.removeprefix('/round/')) + 1}")
    if path == "/":
        words = (
            "by-user",
            "by-scheme",
            "by-hosts",
            "excluded/1",
            "private/x",
            "x.zip",
            "aa/aa/aa/aa",
            "round/0",
            "deep",
        )
        return html(links(*(f"/{word}" for word in words), LONG, "http://elsewhere.test/"))
    return html(links("/deeper") if path == "/deep" else links("/deepest") if path == "/deeper" else "")


class Told:
    """What is said of each refusal."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with served(site_of, has_robots=True) as site:
            self._site = site
            site.crawl(
                folder / "crawl",
                depth=2,
                graph=True,
                exclude=("/excluded/*",),
                filters=(FILTER,),
                refuse_suffixes=("zip",),
                max_url_chars=200,
                max_redirects=3,
            )
        with served(site_of) as self._small:
            self._small.crawl(folder / "small", max_pages_per_host=1, depth=1)
        with served(Board(60)) as self._board:
            self._board.crawl(folder / "board")

    def of(self, refusal: Refusal) -> UrlExplanation:
        match refusal:
            case Refusal.HOST_BUDGET:
                return self._explain("small", self._small, "/deep")
            case Refusal.SESSION_ID:
                return self._explain("board", self._board, f"/viewtopic.php?t=7&sid={SID}")
            case Refusal.SCOPE:
                return self._explain("crawl", None, "http://elsewhere.test/")
        return self._explain("crawl", self._site, PATHS[refusal])

    def origin(self, refusal: Refusal) -> str:
        sites = {Refusal.HOST_BUDGET: self._small, Refusal.SESSION_ID: self._board}
        return sites.get(refusal, self._site).origin

    def _explain(self, folder: str, site: LiveSite | None, path: str) -> UrlExplanation:
        found = weft.explain((site.origin if site is not None else "") + path, self._folder / folder)
        assert isinstance(found, UrlExplanation)
        return found


PATHS = {
    Refusal.SCHEME: "/by-scheme",
    Refusal.LENGTH: LONG,
    Refusal.SUFFIX: "/x.zip",
    Refusal.HOST: "/by-hosts",
    Refusal.DEPTH: "/deepest",
    Refusal.PATTERN: "/excluded/1",
    Refusal.TRAP: "/aa/aa/aa/aa",
    Refusal.USER: "/by-user",
    Refusal.ROBOTS: "/private/x",
    Refusal.TOO_MANY_REDIRECTS: "/round/4",
}
WORDS = {
    Refusal.SCHEME: f"never asked for; it would be refused by your filter {FILTER}, which calls it scheme",
    Refusal.LENGTH: "refused for its length: it has {chars} characters, and --max-url-chars allows 200",
    Refusal.SUFFIX: "refused for its suffix: its path ends with '.zip', which --refuse-suffix names",
    Refusal.SCOPE: "never asked for; it would be out of scope: --scope host takes the hosts of the seeds only: "
    "127.0.0.1",
    Refusal.HOST: f"never asked for; it would be refused by your filter {FILTER}, which calls it host",
    Refusal.DEPTH: "never asked for (1 page with a link to it); it would be too deep: it is 3 links away from a seed, "
    "and --depth allows 2",
    Refusal.PATTERN: "refused by --exclude '/excluded/*'",
    Refusal.TRAP: "refused as a walk without end (repeated-segment): one folder of its path comes again and again, one "
    "time right after the other; --traps -repeated-segment would let it pass",
    Refusal.SESSION_ID: "not asked for as it is: its session id changes nothing on its host, so {instead} is asked for "
    "instead. That URL: visited at {at}: its server answered with status 200",
    Refusal.USER: f"refused by your filter {FILTER}",
    Refusal.ROBOTS: "refused by robots.txt: line 5 of {origin}/robots.txt says 'Disallow: /private/ # of the owner'",
    Refusal.HOST_BUDGET: "over the budget of its host: 1 URL of 127.0.0.1 was visited, and "
    "--max-pages-per-host allows 1",
    Refusal.TOO_MANY_REDIRECTS: "refused after too many redirects: 4 redirects in a row lead to it, and "
    "--max-redirects allows 3",
}
COUNTED_ONLY = {Refusal.SCHEME, Refusal.SCOPE, Refusal.HOST, Refusal.DEPTH}


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    with scratch_folder() as folder:
        yield Told(folder)


@pytest.mark.parametrize("refusal", Refusal)
def test_each_refusal_names_the_rule_that_refused(refusal: Refusal, told: Told) -> None:
    found = told.of(refusal)
    at = found.visited.at.replace("T", " ").replace("Z", " UTC") if found.visited is not None else ""
    known = {"origin": told.origin(refusal), "chars": len(found.url), "instead": found.fetched_as, "at": at}
    assert found.words == WORDS[refusal].format(**known)
    assert found.refused is not None
    assert found.refused.reason is refusal
    if refusal is Refusal.SESSION_ID:
        assert (found.state, "t=7" in found.fetched_as) == (State.VISITED, True)
    else:
        assert found.state is (State.NEVER_FOUND if refusal in COUNTED_ONLY else State.REFUSED)


@pytest.mark.parametrize("refusal", sorted(set(Refusal) - COUNTED_ONLY - {Refusal.TOO_MANY_REDIRECTS}))
def test_what_was_refused_is_told_with_the_page_that_it_was_found_on(refusal: Refusal, told: Told) -> None:
    found = told.of(refusal).found
    assert found is not None
    assert found.depth >= 1
    assert found.at
    assert found.words == f"it is linked from {found.via}"


def test_the_line_of_robots_txt_is_told_with_file_and_number(told: Told) -> None:
    found = told.of(Refusal.ROBOTS)
    assert found.refused is not None
    line = found.refused.robots
    assert line is not None
    assert line.file == told.origin(Refusal.ROBOTS) + "/robots.txt"
    assert line.text == ROBOTS.splitlines()[line.number - 1]


def test_every_rule_against_traps_is_told_in_words() -> None:
    assert TRAPS.keys() == set(TRAP_RULES)
