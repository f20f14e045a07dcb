from __future__ import annotations

import pytest

from weft.robots import parse_robots
from weft.simweb import SimWeb, WebSpec
from weft.simweb.behaviour import Broken, Fixed, Stream
from weft.simweb.robotstxt import CLOSED, LATE, ODD, REDIRECTS, Permits, RobotsTxt, answer_robots, permits

from .reference import AGENT, Permissions, ask_model, permissions_of_model, try_model

SPEC = WebSpec(seed=4, hosts=120, pages=600, failing_attempts=1, agent=AGENT)
ODD_WEB = SimWeb(WebSpec(seed=4, hosts=120, pages=600, robots_share=0, odd_robots_share=1.0))


def what_is_permitted(permissions: Permissions, home: str) -> Permits:
    if not permissions.allow(home):
        return Permits.NOTHING
    return Permits.EVERYTHING if permissions.allow(f"{home}private/3.html") else Permits.ALL_BUT_PRIVATE


@pytest.mark.parametrize(
    ("share", "kinds"),
    [("odd_robots_share", ODD), ("late_robots_share", LATE), ("closed_robots_share", CLOSED)],
)
def test_every_kind_permits_what_it_says(share: str, kinds: tuple[RobotsTxt, ...]) -> None:
    web = SimWeb(WebSpec(seed=4, hosts=120, pages=600, robots_share=0, **{share: 1.0}))  # type: ignore[arg-type]
    permissions = permissions_of_model(web)
    for host in web.hosts:
        assert what_is_permitted(permissions, web.url(host.name, "/")) is permits(host.robots), host.robots
    assert {host.robots for host in web.hosts} - {RobotsTxt.FORBIDS_PRIVATE} == set(kinds)


def test_the_kinds_have_what_they_are_named_for() -> None:
    permitted = {kind: permits(kind) for kind in RobotsTxt}
    assert permitted[RobotsTxt.FORBIDDEN] is permitted[RobotsTxt.REDIRECT_LOOP] is Permits.EVERYTHING
    assert {permitted[kind] for kind in LATE} == {Permits.ALL_BUT_PRIVATE}
    assert {permitted[kind] for kind in CLOSED} == {Permits.NOTHING}


def test_private_pages_that_are_not_forbidden_are_to_be_found() -> None:
    truth = ODD_WEB.truth()
    forbidding = {host.name for host in ODD_WEB.hosts if permits(host.robots) is Permits.ALL_BUT_PRIVATE}
    private = [url for url in truth.depth if "/private/" in url]
    hosts_of = [{url.split("/")[2] for url in private if url in urls} for urls in (truth.fetchable, truth.forbidden)]
    assert hosts_of[0]
    assert hosts_of[1]
    assert not hosts_of[0] & forbidding
    assert hosts_of[1] <= forbidding


def test_nothing_of_a_closed_host_may_be_asked_for() -> None:
    web = SimWeb(WebSpec(seed=4, hosts=40, pages=900, closed_robots_share=0.3))
    closed = {host.name for host in web.hosts if permits(host.robots) is Permits.NOTHING}
    truth = web.truth()
    assert closed
    assert not {url for url in truth.fetchable if url.split("/")[2] in closed}
    assert {url.split("/")[2] for url in truth.forbidden} & closed
    assert set(web.seeds()) <= truth.fetchable


def test_a_redirected_file_is_four_redirects_away_and_crosses_hosts() -> None:
    host = next(host for host in ODD_WEB.hosts if host.robots is RobotsTxt.REDIRECTED and host.index > 4)
    urls = [ODD_WEB.url(host.name, "/robots.txt")]
    while location := ask_model(ODD_WEB, urls[-1]).headers.get("location"):
        urls.append(location)
    assert len(urls) == 1 + REDIRECTS
    assert len({url.split("/")[2] for url in urls}) > 1
    assert all(url.endswith("/robots.txt") for url in urls)
    assert b"Disallow: /private/" in ask_model(ODD_WEB, urls[-1]).body


def test_a_redirect_of_a_file_that_is_not_redirected_is_404() -> None:
    plain = next(host for host in ODD_WEB.hosts if host.robots is RobotsTxt.GONE)
    for hops in range(5):
        assert ask_model(ODD_WEB, ODD_WEB.url(plain.name, f"/rules/{plain.index}/{hops}/robots.txt")).status == 404


def test_of_a_huge_file_the_deciding_rule_is_within_500_kib_and_another_beyond() -> None:
    answer = answer_robots(RobotsTxt.HUGE, SPEC, "")
    assert isinstance(answer, Fixed)
    assert len(answer.body) > 1_900_000
    assert 480_000 < answer.body.index(b"Disallow: /private/\n") < 500 * 1024
    assert answer.body.index(b"Disallow: /beyond/") > 1_000_000


def test_an_endless_file_has_its_rules_at_its_start() -> None:
    answer = answer_robots(RobotsTxt.ENDLESS, SPEC, "")
    assert isinstance(answer, Stream)
    assert answer.body_bytes is None
    assert not parse_robots(answer.prefix, AGENT).allows("/private/x")


def test_late_files_fail_as_often_as_the_spec_says_and_closed_ones_for_ever() -> None:
    late = [answer_robots(kind, SPEC, "") for kind in LATE]
    closed = [answer_robots(kind, SPEC, "") for kind in CLOSED if kind is not RobotsTxt.FORBIDS_ALL]
    assert [answer.attempts for answer in late if isinstance(answer, Broken)] == [1] * len(LATE)
    assert [answer.attempts for answer in closed if isinstance(answer, Broken)] == [None] * (len(CLOSED) - 1)


def test_the_crawl_delay_is_told_and_known() -> None:
    web = SimWeb(WebSpec(hosts=10, pages=20, robots_share=0, crawl_delay_share=1.0, crawl_delay_s=2.5))
    assert web.truth().crawl_delay_s == {host.name: 2.5 for host in web.hosts}
    robots = try_model(web, web.url(web.hosts[0].name, "/robots.txt"))
    assert robots
    assert parse_robots(robots.body, AGENT).crawl_delay_s == 2.5
