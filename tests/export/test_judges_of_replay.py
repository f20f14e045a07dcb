"""pywb serves what was fetched, from the crawl folder as it is and from a WACZ file."""

from __future__ import annotations

import pytest

from .judged_crawl import JudgedCrawl
from .judges import Pywb

COLLECTIONS = ["folder", "wacz"]


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_every_body_is_replayed_byte_for_byte(collection: str, judged: JudgedCrawl, pywb: Pywb) -> None:
    sent = judged.sent()
    assert len(sent) > 15
    for url, answer in sent.items():
        replayed = pywb.replay(collection, judged.timestamp(url), url)
        assert (url, replayed.status) == (url, answer.status)
        assert (url, replayed.body) == (url, answer.body)
        assert replayed.headers.get("content-type", "") == answer.content_type


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_redirects_lead_on(collection: str, judged: JudgedCrawl, pywb: Pywb) -> None:
    for url, target in judged.redirects.items():
        assert pywb.replay(collection, judged.timestamp(url), url).headers["location"] == target


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_revisit_has_its_own_head_and_the_body_of_the_original(
    collection: str, judged: JudgedCrawl, pywb: Pywb
) -> None:
    for copy, first in judged.copies.items():
        replayed = pywb.replay(collection, judged.timestamp(copy), copy)
        assert replayed.body == pywb.replay(collection, judged.timestamp(first), first).body
        assert len(replayed.body) > 1_000
    first_copy = judged.url("/copy?of=first")
    assert pywb.replay(collection, judged.timestamp(first_copy), first_copy).headers["x-copy"] == "second"


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_url_that_was_not_fetched_is_not_there(collection: str, judged: JudgedCrawl, pywb: Pywb) -> None:
    assert pywb.replay(collection, "2026", judged.url("/secret")).status == 404
