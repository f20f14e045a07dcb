"""A user's functions: their results are taken, and whatever they do is counted, named and bounded."""

from __future__ import annotations

import os

import pytest

import weft
from weft.errors import BadInput
from weft.page.user_functions import (
    MAX_ERRORS_REPORTED,
    MAX_REPORT_CHARS,
    MAX_RESULT_BYTES,
    MAX_RESULTS,
    Made,
    UserFunctions,
)

from .rules import URL, page_of

HERE = f"{__package__}.rules"
HTML = '<!DOCTYPE html><q>a b</q><q></q><a href="/next">next</a>'


def made_by(*names: str) -> Made:
    return UserFunctions(f"{HERE}:{name}" for name in names).made_of(page_of(HTML))


def test_items_and_requests_are_told_apart() -> None:
    made = made_by("both")
    assert made.items == [f'{{"url":"{URL}"}}'.encode()]
    assert [(request.url, request.method) for request in made.requests] == [("/next", "GET"), ("/search", "POST")]
    assert made.failed == 0


def test_a_request_of_a_users_own_class_is_taken_without_its_code() -> None:
    made = made_by("own_request")
    (request,) = made.requests
    assert (type(request), request.url, request.method, request.body) == (
        weft.Request,
        "/search",
        "POST",
        b'{"q":"kettle"}',
    )
    assert request.parts is not None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("leave", "SystemExit: enough"),
        ("interrupt", "KeyboardInterrupt"),
        ("end_generator", "GeneratorExit"),
        ("raise_unspeakable", "Unspeakable"),
        ("raise_long", "ValueError: long"),
        ("recurse", "RecursionError"),
        ("lie", "Liar"),
        ("request_changed", "a request that was yielded cannot be used"),
        ("request_of_no_url", "a request that was yielded cannot be used"),
        ("yield_forever", "may yield"),
        ("yield_long", "may yield"),
        ("yield_long_headers", "may yield"),
        ("drop_forever", "may yield"),
    ],
)
def test_whatever_a_function_does_it_is_counted_and_named_with_its_page(
    name: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = made_by(name, "both")
    assert made.failed == 1
    log = capsys.readouterr().err
    assert log.startswith(f"the function '{HERE}:{name}' failed on {URL}:\nTraceback")
    assert told in log
    assert len(log) < 2 * MAX_REPORT_CHARS
    assert len(made.items) <= MAX_RESULTS
    assert sum(map(len, made.items)) <= MAX_RESULT_BYTES
    assert len(made.requests) < MAX_RESULTS
    if "may yield" not in told:
        assert made.items[-1] == f'{{"url":"{URL}"}}'.encode(), "the other function is called all the same"


def test_a_bad_item_costs_itself_alone_and_the_call_counts_once(capsys: pytest.CaptureFixture[str]) -> None:
    made = made_by("bad_among_good")
    assert (made.items, made.failed) == ([b"1", b"2"], 1)
    assert capsys.readouterr().err.count("BadItem: an item of type object cannot be written as JSON") == 1


def test_a_function_that_always_fails_does_not_fill_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    functions = UserFunctions([f"{HERE}:leave"])
    failed = sum(functions.made_of(page_of("")).failed for _ in range(3 * MAX_ERRORS_REPORTED))
    log = capsys.readouterr().err
    assert failed == 3 * MAX_ERRORS_REPORTED
    assert log.count("failed on") == MAX_ERRORS_REPORTED
    assert log.endswith("further errors of this worker are only counted\n")


@pytest.mark.parametrize(("name", "items"), [("fork", [b'"before"', b'"after"']), ("fork_and_raise", [])])
def test_of_a_function_that_forks_one_process_goes_on(name: str, items: list[bytes]) -> None:
    read_end, write_end = os.pipe()
    made = made_by(name)
    os.write(write_end, b"x")
    os.close(write_end)
    os.wait()
    with open(read_end, "rb") as pipe:
        assert pipe.read() == b"x", "the other one has ended where it came back"
    assert (made.items, made.failed) == (items, 0)


def test_a_site_calls_all_functions_that_want_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    made = made_by("site")
    assert made.items == [
        b'{"text":"a b","words":2}',
        b'{"to":"http://site.test/next"}',
        f'{{"tag":"{URL.upper()}"}}'.encode(),
    ]
    assert [request.url for request in made.requests] == ["http://site.test/next"]
    assert made.failed == 1
    log = capsys.readouterr().err
    assert log.startswith(f"the function 'broken' of '{HERE}:site' failed on {URL}:\nTraceback")
    assert "LookupError: broken as ever" in log


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (f"{HERE}:no_generator", "nothing is async"),
        (f"{HERE}:empty_site", "no function for pages"),
        (f"{HERE}:seen", "is not a function"),
        (f"{HERE}:missing", "has no 'missing'"),
    ],
)
def test_what_cannot_be_called_is_refused_before_the_crawl(path: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        UserFunctions([path])
    assert told in str(caught.value)
    assert path.partition(":")[2] in str(caught.value) or path in str(caught.value)
