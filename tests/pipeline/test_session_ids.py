"""Session ids in URLs: learned from pages, taken out where they are proven to change nothing, and no page is lost."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from weft.folder.reading import CrawlReader
from weft.pipeline.sessions import MAX_IDS, MAX_SAME_IDS, Sessions
from weft.state import State
from weft.types import Refusal

from .crawling import assert_archive_is_consistent, resume
from .live_site import Answer, html, links, redirect, served

TOPICS_A_FORUM = 25
TO_LEARN = 50  # requests that are made before enough pages tell
CONNECTIONS = 4


def words(seed: object, length: int = 120) -> str:
    """A text that is another for each seed."""
    chance = random.Random(str(seed))
    return " ".join("".join(chance.choices("abcdefghij", k=6)) for _ in range(length))


class Board:
    """A forum in the manner of phpBB: each answer has a new id in all of its links."""

    id_chars = 32

    def __init__(self, topics: int, form: str = "{page}&sid={sid}", *, bare: str = "same", text: str = "still") -> None:
        self.topics = topics
        self._form = form
        self._bare = bare  # what comes without an id: the same, an error, or a redirect to a new id
        self._text = text  # still; with a clock and counters; or another with each visit
        self._visits = count(1)

    def __call__(self, path: str, headers: Mapping[str, str]) -> Answer:
        number = next(self._visits)
        sid = f"{number * 2654435761 % 2**64:016x}{number:016x}"[: self.id_chars]
        page = re.sub(r"&\w*s\w*id=\w+|;jsessionid=\w+|/\(S\(\w+\)\)", "", path, flags=re.IGNORECASE)
        if page == path and page != "/" and self._bare == "error":
            return 400, {}, "no session"
        if page == path and page != "/" and self._bare == "redirect":
            return redirect(self._form.format(page=page, sid=sid))
        targets = self._links(page)
        if targets is None:
            return 404, {}, ""
        body = f"<h1>{words(page, 8)}</h1><p>{words(page)}"
        if self._text == "counts":
            body += f"<p>It is currently 10:{number % 60:02}; seen {number} times; made in 0.{number} s"
        elif self._text == "changes":
            body += f"<p>A saying: {words(number)}"
        body += f'<form><input type="hidden" name="sid" value="{sid}"></form>'
        return html(body + links(*(self._form.format(page=target, sid=sid) for target in targets)), "The board")

    def _links(self, page: str) -> list[str] | None:
        topic = int(parse_qs(urlsplit(page).query).get("t", ["0"])[0])
        forums = range(1 + (self.topics - 1) // TOPICS_A_FORUM)
        menu = ["/index.php?all=1", "/faq.php?all=1", "/members.php?all=1"]
        if page == "/" or page.startswith("/index.php"):
            return [*menu, *(f"/viewforum.php?f={forum}" for forum in forums)]
        if page.startswith("/viewforum.php"):
            first = int(page.rpartition("=")[2]) * TOPICS_A_FORUM
            last = min(first + TOPICS_A_FORUM, self.topics)
            return [*menu, *(f"/viewtopic.php?t={topic + 1}" for topic in range(first, last))]
        if page.startswith("/viewtopic.php"):
            return [*menu, *(f"/viewtopic.php?t={near}" for near in (topic - 1, topic + 1) if 0 < near <= self.topics)]
        return menu if page in menu else None


def topics_in(pages: set[str]) -> set[str]:
    return {match[0] for page in pages if (match := re.search(r"[?&]t=\d+", page))}


# ── what is proven ──


@pytest.mark.parametrize("text", ["still", "counts"])
def test_a_board_with_a_new_id_each_visit_takes_little_more_than_a_request_a_topic(text: str, tmp_path: Path) -> None:
    with served(Board(300, text=text)) as site:
        files = site.crawl(tmp_path / "crawl")
    assert len(topics_in(site.pages(files))) == 300
    assert len(site.asked) <= 1.2 * 300
    assert_archive_is_consistent(files)


@pytest.mark.large
def test_a_board_of_3000_topics_ends(tmp_path: Path) -> None:
    with served(Board(3_000)) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert len(topics_in(pages)) == 3_000
    assert len(site.asked) <= 1.2 * 3_000


@pytest.mark.parametrize(
    "form", ["{page}&PHPSESSID={sid}", "{page};jsessionid={sid}", "/(S({sid:.24})){page}", "{page}&session_id={sid}"]
)
def test_ids_of_every_form_are_learned(form: str, tmp_path: Path) -> None:
    board = Board(60, form)
    if "(S(" in form:
        board.id_chars = 24
    with served(board) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert len(topics_in(pages)) == 60
    assert len(site.asked) <= 60 + TO_LEARN


@pytest.mark.parametrize("bare", ["error", "redirect"])
def test_where_nothing_comes_without_an_id_one_is_kept(bare: str, tmp_path: Path) -> None:
    with served(Board(60, bare=bare)) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert len(topics_in(pages)) == 60
    assert len(site.asked) <= 60 + TO_LEARN


def test_what_was_learned_survives_a_stop(tmp_path: Path) -> None:
    with served(Board(300)) as site:
        site.crawl(tmp_path / "crawl", max_pages=150)
        asked_before = len(site.asked)
        state = State(tmp_path / "crawl" / "state" / "db", is_read_only=True)
        (rule,) = Sessions(state).rules.all()
        state.close()
        _, files = resume(tmp_path / "crawl", max_pages=None)
    assert len(topics_in(site.pages(files))) == 300
    assert rule.paths
    learned = tuple(urlsplit(path).path for path in rule.paths)
    assert [path for path in site.asked[asked_before:] if path.startswith(learned) and "sid=" in path] == []


def test_queued_links_with_an_id_are_folded_into_their_page(tmp_path: Path) -> None:
    with served(Board(100)) as site:
        site.crawl(tmp_path / "crawl")
    with CrawlReader(tmp_path / "crawl") as reader:
        assert reader.counters.refused[Refusal.SESSION_ID] > 0
        assert Refusal.TRAP not in reader.counters.refused


# ── what names pages ──


def test_sessions_of_a_conference_under_one_title_are_all_fetched(tmp_path: Path) -> None:
    ids = [f"{number * 7919:08x}" for number in range(300)]

    def conference(path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/":
            return html(links(*(f"/talk?session={each}" for each in ids)), "The conference")
        return html(f"<p>{words(path, 20)}</p>" + links("/"), "The conference")

    with served(conference) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert pages == {"/", *(f"/talk?session={each}" for each in ids)}


def test_talks_that_lead_from_one_to_the_next_are_all_fetched(tmp_path: Path) -> None:
    def chain(path: str, headers: Mapping[str, str]) -> Answer:
        number = int(path.rpartition("=")[2], 16) if "=" in path else 0
        following = [f"/talk?session={number + 1:08x}", f"/slides?session={number + 1:08x}"] if number < 100 else []
        return html(f"<p>{words(number, 20)}</p>" + links("/", *following), "The conference")

    with served(chain) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert len(pages) == 201


def test_files_of_equal_length_are_all_fetched(tmp_path: Path) -> None:
    def data(path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/":
            return html(links(*(f"/data.csv?sid={number:032x}" for number in range(300))))
        numbers = random.Random(path)
        return 200, {"Content-Type": "text/csv"}, "\n".join(f"{numbers.random():.6f}" for _ in range(100))

    with served(data) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert len(pages) == 301


def test_tables_of_numbers_are_all_fetched_beside_pages_that_ids_do_not_change(tmp_path: Path) -> None:
    def survey(path: str, headers: Mapping[str, str]) -> Answer:
        number = int(path.rpartition("=")[2], 16) if "=" in path else 0
        menu = [f"/{name}?session={number:08x}" for name in ("help", "about", "index", "contact")]
        if path.startswith("/data"):
            chance = random.Random(number)
            cells = " ".join(f"<td>{chance.randrange(10**6)}" for _ in range(80))
            return html(f"<table><caption>Measured</caption><tr>{cells}</table>" + links(*menu))
        body = f"<p>{words(path.partition('?')[0])}</p>"
        following = [f"/data?session={number + 1:08x}"] if number < 40 else []
        return html(body + links(*menu, *following))

    with served(survey) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert {page for page in pages if page.startswith("/data")} == {f"/data?session={n + 1:08x}" for n in range(40)}


def test_what_is_proven_of_the_menu_is_not_taken_for_granted_of_pages_found_later(tmp_path: Path) -> None:
    menu = ("help", "about", "index", "contact")

    def survey(path: str, headers: Mapping[str, str]) -> Answer:
        page, _, session = path.partition("?session=")
        visit = next(visits)
        others = [f"/{name}?session={visit:08x}" for name in menu]
        if page == "/data":
            return html(f"<p>{words(session)}")
        step = int(page.removeprefix("/step/") or 0) if page.startswith("/step/") else 0
        if step == 30:
            return html(links("/data", "/list/a", "/list/b", "/list/c", "/list/d"))
        if page.startswith("/list/"):
            return html(links(f"/data?session=0000{page[-1] * 4}"))
        return html(words(page) + links(*others, *([f"/step/{step + 1}"] if page == "/" or step else [])))

    visits = count(1)
    with served(survey) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    with CrawlReader(tmp_path / "crawl") as reader:
        assert reader.counters.refused[Refusal.SESSION_ID]  # the menu was proven
    assert {page for page in pages if page.startswith("/data")} == {
        "/data",
        *(f"/data?session=0000{letter * 4}" for letter in "abcd"),
    }


# ── what ends all the same ──


def test_a_board_whose_pages_change_with_each_visit_ends(tmp_path: Path) -> None:
    with served(Board(12, text="changes")) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl", connections_per_host=CONNECTIONS))
    assert len(topics_in(pages)) == 12
    of_a_page = Counter(re.sub(r"&sid=\w+", "", path) for path in site.asked)
    assert max(of_a_page.values()) <= MAX_IDS + CONNECTIONS - 1  # requests that were under way together


def test_a_page_is_visited_under_eight_ids_and_no_more_however_long_it_takes_to_read_one(tmp_path: Path) -> None:
    with served(Board(6, text="changes")) as site:
        slow = f"{__package__}.extractors:be_slow"
        site.crawl(tmp_path / "crawl", connections_per_host=1, extractors=(slow,))
    of_a_page = Counter(re.sub(r"&sid=\w+", "", path) for path in site.asked)
    assert max(of_a_page.values()) == MAX_IDS


def test_a_site_of_one_page_under_ever_new_ids_ends(tmp_path: Path) -> None:
    visits = count(1)
    with served(lambda path, headers: html(words(1) + links(f"/?session={next(visits):08x}"))) as site:
        site.crawl(tmp_path / "crawl")
    assert len(site.asked) <= MAX_SAME_IDS + 8


def test_without_the_rule_every_id_is_asked_for(tmp_path: Path) -> None:
    with served(Board(10)) as site:
        site.crawl(tmp_path / "crawl", traps="-session-ids", max_pages=300)
    assert len(site.asked) >= 300
