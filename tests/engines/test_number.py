"""How many engines a crawl has, and what each is given."""

from __future__ import annotations

from typing import Any

import pytest

from weft.config import CrawlConfig
from weft.engines.number import MOST_ENGINES, engines_of, share_of
from weft.errors import BadInput


def config(**settings: Any) -> CrawlConfig:
    return CrawlConfig(**{"seeds": ("http://a.example/",), **settings})


@pytest.mark.parametrize(("cores", "engines"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (8, 4), (64, 4)])
def test_the_default_goes_by_cores_up_to_the_connections_to_an_address(cores: int, engines: int) -> None:
    assert engines_of(config(delay_s=0.0, scope="any"), cores) == engines


def test_a_crawl_that_waits_between_requests_or_has_one_site_has_one_engine() -> None:
    assert engines_of(config(delay_s=1.0, scope="any"), 64) == 1
    assert engines_of(config(delay_s=0.0, scope="host"), 64) == 1
    assert engines_of(config(delay_s=0.0, scope="host", seeds=("http://a.test/", "http://b.test/")), 64) == 2


def test_a_crawl_that_goes_on_has_as_many_as_before_whatever_the_cores() -> None:
    assert engines_of(config(), 2, engines_now=3) == 3
    assert engines_of(config(), 64, engines_now=1) == 1
    assert engines_of(config(engines=2), 64, engines_now=3) == 2


def test_a_crawl_that_is_held_back_has_one() -> None:
    assert engines_of(config(rate=10.0), 64) == 1
    assert engines_of(config(bandwidth=1e6), 64) == 1
    assert engines_of(config(rate=10.0, engines=2), 64) == 2, "unless it says so"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mirror": True}, "mirror"),
        ({"before_request": "a:b"}, "hooks"),
        ({"after_response": "a:b"}, "hooks"),
        ({"login": "http://a.example/login"}, "--login"),
        ({"order": "opic"}, "the order opic"),
        ({"order": "dfs"}, "the order dfs"),
        ({"order": "pagerank"}, "the order pagerank"),
    ],
)
def test_what_several_engines_cannot_do_is_refused_in_one_sentence(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=f"--engines 2 cannot be: .*{words}"):
        engines_of(config(engines=2, **settings), 2)
    assert engines_of(config(engines=1, **settings), 64) == 1
    assert engines_of(config(**settings), 64) == 1, "nobody asked for several"


def test_no_more_engines_than_connections_to_an_address() -> None:
    with pytest.raises(BadInput, match="at most 4, as many as --connections-per-address, not 5"):
        engines_of(config(engines=5), 64)
    assert engines_of(config(engines=5, connections_per_address=5), 2) == 5
    with pytest.raises(BadInput, match="at most 2, as many as --connections, not 3"):
        engines_of(config(engines=3, connections=2), 64)
    with pytest.raises(BadInput, match=f"at most {MOST_ENGINES}, not 65"):
        engines_of(config(engines=65, connections_per_address=100), 64)


def test_the_shares_add_up_to_the_whole() -> None:
    whole = config(connections=10, workers=5, memory_bytes=1000, rate=9.0, bandwidth=3000.0, max_pages=7)
    shares = [share_of(whole, number, 3) for number in range(3)]
    for name in ("connections", "workers", "memory_bytes", "rate", "bandwidth"):
        assert sum(getattr(share, name) for share in shares) == getattr(whole, name), name
    assert {share.max_pages for share in shares} == {7}, "which is granted in blocks"


def test_each_engine_has_a_worker_though_there_are_fewer() -> None:
    assert [share_of(config(workers=1), number, 2).workers for number in range(2)] == [1, 1]
