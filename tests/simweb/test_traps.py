from __future__ import annotations

import re
from collections import deque

import pytest

from weft.simweb import SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Fixed, Trap, TrapKind
from weft.simweb.traps import trap_page

from .reference import canonical, fetch
from .serving import OWN, SPEC, with_server

_HREF = re.compile(r'href="([^"]*)"')


@pytest.mark.parametrize("kind", list(TrapKind))
def test_a_trap_leads_to_ever_new_pages(kind: TrapKind) -> None:
    seen = {f"http://{OWN}/"}
    waiting = deque(seen)
    while len(seen) < 2000:
        url = waiting.popleft()  # fails if there is no next page
        page = trap_page(kind, url.removeprefix(f"http://{OWN}")).decode()
        new = {canonical(href, url) for href in _HREF.findall(page)} - seen
        seen |= new
        waiting.extend(sorted(new))


@pytest.mark.parametrize("path", ["/", "/calendar?day=2024-02-30", "/calendar?day=9999-12-31", "/calendar?day=x"])
def test_a_calendar_has_no_last_day(path: str) -> None:
    assert b"/calendar?day=2024-01-02" in trap_page(TrapKind.CALENDAR, path)


def test_a_trap_repeats_its_segment() -> None:
    assert b'href="/more/more/more/"' in trap_page(TrapKind.DEEPER, "/more/more/page.html?x=/y/")


def test_session_ids_differ_from_page_to_page_for_the_same_pages() -> None:
    one, other = (trap_page(TrapKind.SESSION, path) for path in ("/page/1?sid=a", "/page/1?sid=b"))
    assert one != other
    assert re.sub(b"sid=[0-9a-f]{16}", b"", one) == re.sub(b"sid=[0-9a-f]{16}", b"", other)


def test_a_trap_may_hold_for_a_whole_host_but_for_what_is_given_by_name() -> None:
    async def use(server: SimServer) -> None:
        responses = {
            path: await fetch(server.web, server.web.url(OWN, path)) for path in ("/", "/a/b?c", "/robots.txt")
        }
        assert b"/a/more/" in responses["/a/b?c"].body
        assert b"/more/" in responses["/"].body
        assert responses["/robots.txt"].body == b"rules"

    with_server(SPEC, use, {"*": Trap(TrapKind.DEEPER), "/robots.txt": Fixed(b"rules")})


def test_a_trap_is_not_part_of_the_truth() -> None:
    spec = WebSpec(hosts=3, pages=9)
    assert SimWeb(spec, {(OWN, "*"): Trap(TrapKind.SESSION)}).truth() == SimWeb(spec).truth()
