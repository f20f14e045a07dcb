"""Which URLs were reported: the same in Python and in C."""

from __future__ import annotations

import random

import pytest

from weft.filter.reported import Reported, ReportedUrls
from weft.parse.scan import has_scanner, reported_urls

KINDS = ["python", "c"] if has_scanner() else ["python"]


def reported(kind: str, most_urls: int, most_chars: int = 1_000_000) -> Reported:
    made = reported_urls(most_urls, most_chars) if kind == "c" else ReportedUrls(most_urls, most_chars)
    assert made is not None
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_a_url_is_known_at_the_depth_at_which_it_was_reported_last(kind: str) -> None:
    urls = reported(kind, 10)
    assert urls.depth_of("http://a.example/") is None
    urls.add("http://a.example/", 3)
    urls.add("http://a.example/", 2)
    assert urls.depth_of("http://a.example/") == 2
    assert urls.depth_of("http://a.example/b") is None


@pytest.mark.parametrize("kind", KINDS)
def test_two_generations_are_remembered_and_no_more(kind: str) -> None:
    urls = reported(kind, 3)
    for number in range(7):
        urls.add(f"http://a.example/{number}", 1)
    known = [number for number in range(7) if urls.depth_of(f"http://a.example/{number}") is not None]
    assert known == [3, 4, 5, 6]


@pytest.mark.parametrize("kind", KINDS)
def test_long_urls_end_a_generation_sooner(kind: str) -> None:
    urls = reported(kind, 1000, most_chars=100)
    for number in range(3):
        urls.add(f"http://a.example/{number:060}", 1)
    known = [number for number in range(3) if urls.depth_of(f"http://a.example/{number:060}") is not None]
    assert known == [0, 1, 2]
    urls.add(f"http://a.example/{3:060}", 1)
    assert urls.depth_of(f"http://a.example/{0:060}") is None


@pytest.mark.skipif(not has_scanner(), reason="the part in C was not built")
def test_both_kinds_answer_alike_whatever_they_are_asked() -> None:
    chance = random.Random(24)
    pairs = [
        (reported("python", most, chars), reported("c", most, chars)) for most, chars in ((40, 900), (3000, 10**6))
    ]
    for python, c in pairs:
        for _ in range(20_000):
            url = f"http://{chance.choice('abc')}.example/{chance.randrange(5_000)}{'/x' * chance.randrange(6)}"
            assert python.depth_of(url) == c.depth_of(url)
            if chance.random() < 0.4:
                depth = chance.randrange(9)
                python.add(url, depth)
                c.add(url, depth)
