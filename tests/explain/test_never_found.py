"""A URL that no row tells of: whether the crawl would let it in, and what else may be the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from weft.explain.result import State
from weft.folder.refused_rows import forbid
from weft.robots import Access, RobotsRow
from weft.state.keys import host_key
from weft.types import Link, Refusal
from weft.url import url_id

from .crawls import HOME, HOST, written

PAGE = f"{HOME}page"


def with_rules(body: bytes, now: float) -> RobotsRow:
    return RobotsRow(Access.RULES, now, now + 3600.0, 200, body=body, fetched_at=now)


def test_a_url_that_nothing_would_refuse_is_said_to_be_linked_from_nowhere(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.put_robots(with_rules(b"User-agent: *\nDisallow: /other\n", crawl.clock.wall()))
        found = crawl.explain(PAGE)
    assert (found.state, found.refused) == (State.NEVER_FOUND, None)
    assert found.words == "never found: nothing would refuse it, but no page that was read links to it"
    assert found.remarks == [
        "images, scripts and style sheets are looked for with --requisites only",
        "what sitemaps name is looked for with --sitemap only",
    ]


def test_pages_that_still_wait_may_link_to_it(tmp_path: Path) -> None:
    with written(tmp_path / "crawl", requisites=True, sitemaps=True) as crawl:
        crawl.schedule(Link(HOME, 0))
        found = crawl.explain(PAGE)
    assert found.remarks == [
        "its robots.txt has not been asked for yet, and might forbid it",
        "1 URL still waits, and may lead to it",
    ]


def test_robots_txt_is_asked_what_it_would_say(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.put_robots(with_rules(b"User-agent: weft\n\nDisallow: /page\n", crawl.clock.wall()))
        found = crawl.explain(PAGE)
    said = f"line 3 of {HOME}robots.txt says 'Disallow: /page'"
    assert found.words == f"never asked for; it would be refused by robots.txt: {said}"


def test_of_a_line_that_is_gone_what_it_was_is_told(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(Link(PAGE, 1))
        crawl.put_robots(with_rules(b"User-agent: *\nDisallow:\n", crawl.clock.wall()))
        batch = crawl.ledger.batch()
        visit = next(iter(crawl.state.scan("queue")))
        batch.delete("queue", visit[0])
        forbid(batch, url_id(PAGE), Link(PAGE, 1), "Disallow: /page")
        crawl.ledger.write(batch)
        found = crawl.explain(PAGE)
    assert found.words == (
        f"refused by robots.txt: {HOME}robots.txt said 'Disallow: /page'; the copy that is at hand now has no such "
        "line for it"
    )


@pytest.mark.parametrize(
    ("settings", "url", "refusal", "words"),
    [
        ({"include": ("/in/*",)}, PAGE, Refusal.PATTERN, "refused because it matches no --include: /in/*"),
        ({"scope": "domain"}, "http://b.test/", Refusal.SCOPE, "--scope domain takes the domains of the seeds only: a"),
        (
            {"scope": "prefix", "seeds": (f"{HOME}docs/x",)},
            PAGE,
            Refusal.SCOPE,
            f"--scope prefix takes the folders of the seeds only: {HOME}docs/",
        ),
        ({"depth": 0}, PAGE, Refusal.DEPTH, "it is 1 link away from a seed, and --depth allows 0"),
        ({"max_pages_per_host": 3}, PAGE, Refusal.HOST_BUDGET, "3 URLs of a.test were visited, and --max-pages-"),
        ({"ignore_robots": True, "max_redirects": 0}, PAGE, None, "nothing would refuse it"),
    ],
)  # fmt: skip
def test_the_crawls_own_rules_say_what_would_refuse_it(
    settings: dict[str, Any], url: str, refusal: Refusal | None, words: str, tmp_path: Path
) -> None:
    with written(tmp_path / "crawl", **settings) as crawl:
        batch = crawl.state.batch()
        batch.put("visits", host_key(HOST), (3).to_bytes(4, "big"))
        crawl.state.write(batch)
        found = crawl.explain(url)
    assert (found.refused and found.refused.reason) is refusal
    assert words in found.words


def test_a_filter_that_is_not_here_is_not_asked_and_that_is_said(tmp_path: Path) -> None:
    with written(tmp_path / "crawl", filters=("nowhere_at_all:x", f"{__package__}.filters:by_word")) as crawl:
        found = crawl.explain(f"{HOME}by-user")
    assert found.refused is not None
    assert found.refused.rule == f"{__package__}.filters:by_word"
    assert found.remarks[0].startswith("your filter was not asked, because it is not here: ")
    assert "nowhere_at_all" in found.remarks[0]


def test_a_filter_that_is_asked_right_before_the_request_is_asked_too(tmp_path: Path) -> None:
    with written(tmp_path / "crawl", filters=(f"{__package__}.filters:AtLast",)) as crawl:
        found, other = crawl.explain(f"{HOME}at-last"), crawl.explain(PAGE)
    assert found.words == f"never asked for; it would be refused by your filter {__package__}.filters:AtLast"
    assert other.refused is None


def test_what_was_found_and_has_no_row_was_left_out_by_a_rule_that_lists_no_more(tmp_path: Path) -> None:
    with written(tmp_path / "crawl", exclude=("/page",)) as crawl:
        batch = crawl.state.batch()
        for url in (PAGE, f"{HOME}other"):
            batch.put("seen", url_id(url), (1).to_bytes(4, "big"))
        crawl.state.write(batch)
        found, other = crawl.explain(PAGE), crawl.explain(f"{HOME}other")
    said = "found and left out: a rule that refuses more than 10,000 URLs of a host lists no more of them"
    assert (found.state, found.words) == (State.REFUSED, f"{said}; it would be refused by --exclude '/page'")
    assert (other.state, other.words, other.refused) == (State.REFUSED, said, None)


def test_a_seed_that_has_not_had_its_turn_is_a_seed(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        found = crawl.explain(HOME)
    assert found.is_seed
    assert found.words == "it is a seed, and the crawl has not begun with it yet"


@pytest.mark.parametrize("other", ["https://a.test/page", "http://a.test/page/", "http://www.a.test/page"])
def test_a_url_that_is_nearly_the_same_is_named(other: str, tmp_path: Path) -> None:
    with written(tmp_path / "crawl", scope="any") as crawl:
        crawl.schedule(Link(other, 1))
        assert f"{other} was found, which is another URL" in crawl.explain(PAGE).remarks
        assert f"{other} was found, which is another URL" in crawl.explain(f"{PAGE}#x").remarks


def test_a_host_with_a_dot_at_its_end_is_the_same_host(tmp_path: Path) -> None:
    with written(tmp_path / "crawl", scope="any") as crawl:
        crawl.schedule(Link(PAGE, 1))
        assert crawl.explain("http://a.test./page").state is State.WAITING


def test_no_page_of_the_web_leads_to_ftp(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        found = crawl.explain(f"ftp://{HOST}/x")
    assert found.words == "never found: only a seed, or a page that came by ftp itself, leads to such URLs"


def test_robots_txt_itself_is_asked_for_on_the_side(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        now = crawl.clock.wall()
        crawl.put_robots(RobotsRow(Access.ALLOW_ALL, now, now + 3600.0, 404))
        found = crawl.explain(f"{HOME}robots.txt")
    assert found.remarks[0].startswith("robots.txt is asked for on the side: there is none (status 404)")


def test_of_a_host_that_was_never_found_that_is_said(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        found = crawl.explain_host("b.test")
    assert found.words == "no URL of b.test was found; nothing of it waits"


def test_what_was_told_to_another_node_is_to_be_looked_for_there(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        batch = crawl.state.batch()
        batch.put("sent", url_id(PAGE), (1).to_bytes(4, "big"))
        crawl.state.write(batch)
        assert crawl.explain(PAGE).state is State.ELSEWHERE
