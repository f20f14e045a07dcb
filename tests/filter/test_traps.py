from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.filter import TrapFilter, trap_rules
from weft.filter.traps import TRAP_RULES
from weft.types import Link, Refusal
from weft.url import canonicalize, host_of


def is_refused(url: str, depth: int = 3, rule: TrapFilter | None = None) -> bool:
    """Ask a new filter, or the one given."""
    assert url == canonicalize(url)
    refusal = (rule or TrapFilter()).refuses_url(url, host_of(url), depth)
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
https://archive.example.org/2024/2024/12/12/
https://wiki.example.org/wiki/100%25
https://wiki.example.org/index.php?title=50%2525_off&redirect=%2Fwiki%2F100%25
https://shop.example.com/home/shop/home/garden/shop/garden-chairs
https://shop.example.com/color/red/color/blue/size/xl/size/xs/brand/one/brand/two
https://javadoc.example.org/com/example/app/com/example/app/package-summary.html
https://docs.example.org/lib/lib/api/lib/api/lib/index.html
https://events.example.org/events/1789/07/14
https://events.example.org/calendar/2045/07
https://events.example.org/calendar?year=2032&month=11
""".strip().splitlines()


@pytest.mark.parametrize("url", ORDINARY)
def test_an_ordinary_url_passes(url: str) -> None:
    assert not is_refused(url)


def test_ordinary_urls_pass_one_after_the_other() -> None:
    rule = TrapFilter()
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
    assert is_refused("https://example.org/aa/bb/cc/aa/cc/dd/bb/dd/")
    assert not is_refused("https://example.org/aa/bb/cc/aa/cc/dd/bb/")
    assert not is_refused("https://example.org/aa/bb/cc/aa/cc/dd/bb/dd/x.html")


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


# Names


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("repeated-segment", "https://example.org/img/img/img/img/"),
        ("segment-cycle", "https://example.org/x/y/x/y/x/y/"),
        ("tangle", "https://example.org/aa/bb/cc/aa/cc/dd/bb/dd"),
        ("too-many-segments", "https://example.org/" + "/".join(f"s{number}" for number in range(33))),
        ("repeated-argument", "https://example.org/?a=1&a=1&a=1&a=1"),
        ("too-many-arguments", "https://example.org/?" + "&".join(f"a{number}={number}" for number in range(65))),
        ("nested-escapes", "https://example.org/?a=1&amp;amp;amp;b=2"),
        ("nested-escapes", "https://example.org/?next=%2525252525252Fhome"),
    ],
)
def test_each_rule_has_a_name_and_can_be_switched_off_alone(name: str, url: str) -> None:
    assert TrapFilter().rule_of(url, "example.org", 1) == name
    assert is_refused(url, rule=TrapFilter(name))
    assert not is_refused(url, rule=TrapFilter(f"-{name}"))
    assert not is_refused(url, rule=TrapFilter("off"))
    assert TrapFilter(f"-{name}").rule_of(url, "example.org", 1) == ""


def test_an_ordinary_url_has_no_rule() -> None:
    assert {TrapFilter().rule_of(url, host_of(url), 1) for url in ORDINARY} == {""}


@pytest.mark.parametrize(
    ("setting", "wanted"),
    [
        ("on", set(TRAP_RULES)),
        ("off", set()),
        ("tangle", {"tangle"}),
        ("tangle, calendar", {"tangle", "calendar"}),
        ("-calendar", set(TRAP_RULES) - {"calendar"}),
        ("-calendar,-session-ids", set(TRAP_RULES) - {"calendar", "session-ids"}),
        ("on,-calendar", set(TRAP_RULES) - {"calendar"}),
    ],
)
def test_a_setting_names_the_rules_or_those_that_are_not_wanted(setting: str, wanted: set[str]) -> None:
    assert trap_rules(setting) == wanted


@pytest.mark.parametrize("setting", ["", "calender", "-tangles", "on,x"])
def test_a_rule_that_there_is_not_is_refused_with_the_names_that_there_are(setting: str) -> None:
    with pytest.raises(BadInput, match="tangle"):
        trap_rules(setting)


# Beside the rules


def test_a_seed_passes_whatever_it_looks_like() -> None:
    url = "https://example.org/x/y/x/y/x/y/"
    assert not is_refused(url, depth=0)
    assert is_refused(url, depth=1)
    assert TrapFilter().refuses(Link(url, 1)) is Refusal.TRAP
