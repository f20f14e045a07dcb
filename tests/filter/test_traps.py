from __future__ import annotations

from datetime import UTC, datetime

import pytest

from weft.filter import TrapFilter
from weft.filter.session_ids import REMEMBERED_PAGES
from weft.types import Link, Refusal
from weft.url import canonicalize, host_of

NOW = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
HEX = "0123456789abcdef0123456789abcdef"


def is_refused(url: str, depth: int = 3, rule: TrapFilter | None = None) -> bool:
    """Ask a new filter, or the one given."""
    assert url == canonicalize(url)
    refusal = (rule or TrapFilter(NOW)).refuses_url(url, host_of(url), depth)
    assert refusal in (None, Refusal.TRAP)
    return refusal is not None


# What must pass

ORDINARY = """
https://example.org/
https://example.org/en/en/
https://example.org/en/en/en/index.html
https://example.org/de-de/de/de-de/
https://www.example.org/about/team/team.html
https://example.org//double//slash//page
https://docs.python.org/3/library/asyncio-task.html
https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/concurrent/locks/Lock.html
https://docs.oracle.com/javase/8/docs/api/java/util/java/util/Map.html
https://javadoc.io/doc/org.scala-lang/scala-library/latest/scala/scala/scala.html
https://rust.example.org/std/std/std/index.html
https://docs.example.org/v1/1/1/1/1/changes.html
https://docs.example.org/1.0/1.0/1.0/notes.html
https://example.org/a/a/a/a/a/file.bin
https://en.wikipedia.org/wiki/Talk:Main_Page/Archive_1/Archive_1
https://en.wikipedia.org/w/index.php?title=Main_Page&action=history&offset=20240501000000&limit=500&dir=prev
https://wiki.example.org/Help/Editing/Help/Editing
https://forum.example.org/viewtopic.php?f=12&t=34567&start=4350
https://forum.example.org/thread/8213/12/
https://forum.example.org/threads/2045/07
https://stackoverflow.com/questions/2045/12/how-to
https://news.ycombinator.com/item?id=20450712
https://git.example.org/group/group/group/-/tree/main/group
https://git.example.org/p/-/blob/main/src/test/java/test/resources/test/data/test/data.json
https://git.example.org/p/-/blob/main/node_modules/a/node_modules/b/node_modules/c/node_modules/d/index.js
https://git.example.org/p/-/tree/main/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z
https://cgit.example.org/linux.git/log/drivers/net?h=v6.9&id=0123456789abcdef0123456789abcdef01234567&ofs=9050
https://gitweb.example.org/?p=linux.git;a=commit;h=0123456789abcdef0123456789abcdef01234567
https://repo1.maven.org/maven2/org/springframework/boot/spring-boot/3.2.5/spring-boot-3.2.5.jar
https://tiles.example.org/0/0/0/0/0/0/0/0.png
https://tiles.example.org/18/139/139/139/139/139.png
https://example.org/system/avatars/000/000/000/000/123/original/me.jpg
https://cdn.example.org/f/f/f/f/0/f/f/image.png
https://cdn.example.org/ab/ab/ab/cd/image.png
https://shop.example.com/women/shoes/women/shoes/running-shoe.html
https://shop.example.com/color/red/color/blue/color/green/size/42/size/43/page/2
https://shop.example.com/c?f[]=1&f[]=2&f[]=3&f[]=4&f[]=5&f[]=6&sort=price&page=7
https://shop.example.com/c?brand=a&brand=b&brand=c&brand=d&brand=e&page=2&page=2
https://shop.example.com/search?q=&min=&max=&size=&color=&brand=&sale=&new=&stock=&sort=&page=3
https://solr.example.org/?fq=a:1&fq=b:2&fq=c:3&fq=d:4&fq=e:5&facet=true&facet=true&facet=true
https://example.org/?a&&&&&&&b
https://example.org/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252Fhome
https://example.org/?x=1&amp;amp;y=2
https://web.archive.org/web/20240501000000/https://example.org/web/20240501000000/
https://blog.example.org/2024/05/17/how-we-crawl/
https://blog.example.org/2024/05/page/12/
https://www.nytimes.com/1969/07/21/archives/men-walk-on-moon.html
https://newspapers.example.org/calendar/1848/03/15
https://newspapers.example.org/issues/1789/07/14/
https://chronicle.example.org/events/1944/06/06
https://events.example.org/events/2026-05-01/
https://events.example.org/events/2031/12/
https://events.example.org/events/2045
https://events.example.org/event/4567/12
https://events.example.org/event/8213/05
https://events.example.org/calendar/?year=2027&month=3
https://events.example.org/event?id=204507
https://events.example.org/event/20450712
https://events.example.org/search?from=2024-05-01&to=2099-12-31
https://events.example.org/search?from=2024-05-01&to=9999-12-31
https://climate.example.org/projections/2050/07/temperature
https://climate.example.org/projections?year=2050&scenario=rcp85
https://un.example.org/agenda/2050/goals/13
https://example.org/prevention/2045/05/
https://example.org/standards/iso-2098-05
https://example.org/chemicals/7732-18-5
https://booking.example.org/?checkin=2026-12-24&checkout=2027-01-02&rooms=1&adults=2
https://example.org/page;jsessionid=0123456789ABCDEF0123456789ABCDEF
https://example.org/page?PHPSESSID=0123456789abcdef01234567
""".strip().splitlines()


@pytest.mark.parametrize("url", ORDINARY)
def test_an_ordinary_url_passes(url: str) -> None:
    assert not is_refused(url)


def test_ordinary_urls_pass_one_after_the_other() -> None:
    rule = TrapFilter(NOW)
    assert [url for url in ORDINARY * 2 if is_refused(url, rule=rule)] == []


# Walks


@pytest.mark.parametrize(
    ("step", "passes"),
    [
        ("x/y/", 2),
        ("img/", 3),
        ("a/", 5),
        ("a/b/", 2),
        ("a/1/", 2),
        ("one/two/three/", 2),
        ("a/b/c/d/e/f/", 2),
        ("1/", 32),
        ("1/22/333/", 10),
    ],
)
@pytest.mark.parametrize("start", ["https://example.org/", "https://example.org/start/here/"])
def test_a_walk_in_a_circle_ends(step: str, passes: int, start: str) -> None:
    urls = [start + step * times for times in range(1, 40)]
    passed = [not is_refused(url) for url in urls].index(False)
    assert passed <= passes
    assert passed >= passes - start.count("/") + 3
    assert all(is_refused(url) for url in urls[passed:])


def test_a_circle_may_begin_and_end_anywhere() -> None:
    assert is_refused("https://example.org/a/b/c/x/y/x/y/x/y/d/e/f.html?q=1")
    assert not is_refused("https://example.org/a/b/c/x/y/x/y/z/x/y/d.html")
    assert not is_refused("https://example.org/?u=/x/y/x/y/x/y/x/y/img/img/img/img/img")


def test_a_walk_through_the_same_few_names_in_any_order_ends() -> None:
    assert is_refused("https://example.org/aa/bb/cc/aa/cc/bb/bb/aa/cc/dd/bb/dd")
    assert not is_refused("https://example.org/aa/bb/cc/aa/cc/bb/bb/aa/cc/dd/bb")
    assert not is_refused("https://example.org/aa/bb/cc/aa/cc/bb/bb/aa/cc/dd/ee/dd")


def test_a_path_of_ever_new_segments_ends_at_33() -> None:
    segments = [f"s{number}" for number in range(33)]
    assert not is_refused("https://example.org/" + "/".join(segments[:32]))
    assert is_refused("https://example.org/" + "/".join(segments))


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/?a=1&a=1&a=1&a=1",
        "https://example.org/p?x=0&a=1&y=0&a=1&a=1&z=0&a=1",
        "https://example.org/?" + "&".join(f"a{number}={number}" for number in range(65)),
        "https://example.org/?a=1&amp;amp;amp;b=2",
        "https://example.org/?next=%2525252525252Fhome",
    ],
)
def test_a_query_that_grows_ends(url: str) -> None:
    assert is_refused(url)


def test_a_query_of_64_arguments_passes() -> None:
    assert not is_refused("https://example.org/?" + "&".join(f"a{number}={number}" for number in range(64)))


# Calendars


@pytest.mark.parametrize(
    "page",
    [
        "calendar/{year}/{month:02}",
        "calendar/{year}/{month:02}/15/",
        "calendar/{year}-{month:02}",
        "events/{year}-{month:02}-01/?view=list",
        "veranstaltungen/kalender.php?datum={year}-{month:02}-01",
        "calendar/week/{year}-W{month:02}",
        "events?date={year}{month:02}01",
        "cal.php?month={month}&year={year}",
        "index.php?y={year}&m={month}",
        "calendar/view.php?view=month&cal_d=1&cal_m={month}&cal_y={year}",
        "agenda?from={year}-{month:02}-01&to={year}-{month:02}-28",
    ],
)
@pytest.mark.parametrize(("years", "last"), [(range(2020, 2200), 2031), (range(2026, 1600, -1), 1800)])
def test_a_calendar_can_be_turned_so_far_and_no_further(page: str, years: range, last: int) -> None:
    walked = []
    for year in years:
        months = ["https://example.org/" + page.format(year=year, month=month) for month in range(1, 13)]
        if any(map(is_refused, months)):
            assert all(map(is_refused, months))
            break
        walked.append(year)
    assert walked[-1] == last


def test_years_are_counted_from_the_time_given() -> None:
    later = TrapFilter(datetime(2040, 1, 1, tzinfo=UTC).timestamp())
    assert is_refused("https://example.org/calendar/2045/12/")
    assert not is_refused("https://example.org/calendar/2045/12/", rule=later)
    assert is_refused("https://example.org/calendar/2046/01/", rule=later)


# Session ids


@pytest.mark.parametrize(
    "page",
    [
        "https://example.org/page;jsessionid={id}",
        "https://example.org/page;jsessionid={id}?a=1",
        "https://example.org/page?a=1&PHPSESSID={id}&b=2",
        "https://forum.example.org/viewtopic.php?f=1&t=2&sid={id}",
        "https://forum.example.org/viewtopic.php?sid={id}&t=2",
        "https://example.org/(S({id:.24}))/page.aspx",
        "https://example.org/page.cfm?CFID=1&CFTOKEN={id}",
        "https://shop.example.org/?osCsid={id}",
    ],
)
def test_a_page_passes_under_three_session_ids(page: str) -> None:
    rule = TrapFilter(NOW)
    ids = [f"{number:x}" * 32 for number in range(16)]
    first, *others = [page.format(id=session) for session in ids]
    assert [is_refused(url, rule=rule) for url in (first, *others[:4])] == [False, False, False, True, True]
    assert not is_refused(first, rule=rule)
    assert not is_refused(first.replace("page", "other").replace("t=2", "t=3").replace("/?", "/other?"), rule=rule)


def test_a_page_found_nearer_passes_under_a_new_session_id() -> None:
    rule = TrapFilter(NOW)
    urls = [f"https://example.org/page;jsessionid={number:032x}" for number in range(6)]
    assert [is_refused(url, 5, rule) for url in urls[:4]] == [False, False, False, True]
    assert not is_refused(urls[4], 2, rule)
    assert is_refused(urls[5], 5, rule)
    assert not is_refused(urls[5], 4, rule)


@pytest.mark.parametrize(
    "page",
    [
        "https://example.org/article.pl?sid={:032x}",  # alone: it names the article
        "https://example.org/item?id={:032x}&lang=en",
        "https://example.org/talks?session={:032x}&day=1",
        "https://example.org/download?token={:032x}&file=1",
    ],
)
def test_what_may_name_the_page_is_no_session_id(page: str) -> None:
    rule = TrapFilter(NOW)
    assert not any(is_refused(page.format(number), rule=rule) for number in range(100))


def test_only_the_last_pages_with_session_ids_are_remembered() -> None:
    rule = TrapFilter(NOW)
    urls = [f"https://example.org/page;jsessionid={number:032x}" for number in range(5)]
    assert [is_refused(url, rule=rule) for url in urls[:4]] == [False, False, False, True]
    for page in range(2 * REMEMBERED_PAGES):
        rule.refuses_url(f"https://example.org/{page};jsessionid={HEX}", "example.org", 1)
    assert not is_refused(urls[4], rule=rule)


# Beside the rules


def test_a_seed_passes_whatever_it_looks_like() -> None:
    url = "https://example.org/x/y/x/y/x/y/"
    assert not is_refused(url, depth=0)
    assert is_refused(url, depth=1)
    assert TrapFilter(NOW).refuses(Link(url, 1)) is Refusal.TRAP


# By which rule


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        ("repeated-segment", "https://example.org/a/foo/foo/foo/foo/"),
        ("segment-cycle", "https://example.org/x/foo/bar/foo/bar/foo/bar/"),
        ("tangle", "https://example.org/" + "aa/bb/bb/aa/cc/bb/aa/cc/cc/aa/bb/cc/aa/"),
        ("too-many-segments", "https://example.org/" + "/".join(f"s{n}" for n in range(40))),
        ("repeated-argument", "https://example.org/?a=1&a=1&a=1&a=1"),
        ("too-many-arguments", "https://example.org/?" + "&".join(f"a{n}=1" for n in range(70))),
        ("nested-escapes", "https://example.org/?u=%2525252525252F"),
        ("calendar", "https://example.org/calendar/2050-01"),
    ],
)
def test_a_refusal_tells_its_rule(rule: str, url: str) -> None:
    filter_ = TrapFilter(NOW)
    assert is_refused(url, rule=filter_)
    assert filter_.rule_of(url, host_of(url), 3) == rule


def test_the_rule_of_session_ids_tells_its_name() -> None:
    filter_ = TrapFilter(NOW)
    pages = [f"https://example.org/page;jsessionid={number:032x}" for number in range(4)]
    assert [is_refused(url, rule=filter_) for url in pages] == [False, False, False, True]
    assert filter_.rule_of(pages[-1], "example.org", 3) == "session-ids"
