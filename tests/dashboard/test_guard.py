"""Who may look, and who may steer."""

from __future__ import annotations

import pytest

from weft.dashboard.guard import HEADERS, Guard

TOKEN = "0123456789abcdef0123"
RIGHT = {"authorization": f"Bearer {TOKEN}"}


def guard(address: str = "127.0.0.1", *names: str) -> Guard:
    return Guard(address, TOKEN, names)


def status_of(one: Guard, method: str = "GET", is_page: bool = False, /, **headers: str) -> int:
    denied = one.denied(method, {"host": "127.0.0.1:8765"} | headers, is_page=is_page)
    return 0 if denied is None else int(denied.status)


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST", "[::1]:8765", "weft.localhost:1"])
def test_this_machine_may_look_without_a_token(host: str) -> None:
    assert status_of(guard(), host=host) == 0


@pytest.mark.parametrize(
    "host", ["", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example", "192.0.2.7:8765", "a b", ":1"]
)
def test_another_name_is_refused_for_page_and_figures(host: str) -> None:
    assert status_of(guard(), host=host) == 403
    assert status_of(guard(), "GET", True, host=host) == 403
    assert status_of(guard(), "POST", host=host, **RIGHT) == 403


def test_a_name_that_was_allowed_is_answered() -> None:
    assert status_of(guard("127.0.0.1", "Crawl.Example"), host="crawl.example:443") == 0


def test_who_listens_everywhere_answers_at_every_address_but_under_no_name() -> None:
    assert status_of(guard("0.0.0.0"), host="192.0.2.7:8765", **RIGHT) == 0
    assert status_of(guard("0.0.0.0"), host="loom.lan:8765", **RIGHT) == 403


@pytest.mark.parametrize("address", ["0.0.0.0", "192.0.2.7", "::", "2001:db8::1"])
def test_elsewhere_looking_needs_the_token_but_the_page_does_not(address: str) -> None:
    assert status_of(guard(address)) == 401
    assert status_of(guard(address), "GET", True) == 0
    assert status_of(guard(address), **RIGHT) == 0


@pytest.mark.parametrize(
    "shown",
    ["", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer é",
     f"Bearer {TOKEN.upper()}"],
)  # fmt: skip
def test_steering_needs_exactly_the_token(shown: str) -> None:
    assert status_of(guard(), "POST", authorization=shown) == 401
    assert status_of(guard(), "POST", **RIGHT) == 0


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_all_but_looking_needs_the_token(method: str) -> None:
    assert status_of(guard(), method) == 401


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1", "https://[", "file://"]
)
def test_only_the_own_page_may_steer(origin: str) -> None:
    assert status_of(guard(), "POST", origin=origin, **RIGHT) == 403
    assert status_of(guard(), "POST", origin="http://127.0.0.1:8765", **RIGHT) == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_browser_that_comes_from_another_site_may_not_steer(site: str) -> None:
    assert status_of(guard(), "POST", **{"sec-fetch-site": site}, **RIGHT) == 403


def test_the_page_may_ask_this_server_only_and_no_text_becomes_markup() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert HEADERS["X-Content-Type-Options"] == "nosniff"
    assert HEADERS["Cache-Control"] == "no-store"
