"""Every hostile answer has a name in the end, and nobody else suffers from it."""

from __future__ import annotations

import pytest

from tests.pipeline.crawling import Row, is_side, quick_config
from tests.pipeline.side_by_side import crawl_side_by_side
from tests.scratch import scratch_folder
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour
from weft.simweb.hostile import HOSTILE, MIB, hostile_answers, redirect_chain
from weft.types import Outcome

from .beside import BOUND_BYTES, MAX_BODY_BYTES, Met, meet

CUT = "length"  # what came beyond the limit was left out

# How each ends, and why it is not whole if it is not.
EXPECTED: dict[str, tuple[Outcome, str]] = {
    "endless-head": (Outcome.HEAD_TOO_LARGE, ""),
    "endless-header-line": (Outcome.HEAD_TOO_LARGE, ""),
    "endless-interim": (Outcome.BAD_RESPONSE, ""),
    "endless-interim-slowly": (Outcome.BAD_RESPONSE, ""),
    "interim-flood": (Outcome.BAD_RESPONSE, ""),
    "huge-header": (Outcome.HEAD_TOO_LARGE, ""),
    "many-headers": (Outcome.HEAD_TOO_LARGE, ""),
    "dripping-head": (Outcome.RESPONSE_TIMEOUT, ""),
    "not-http": (Outcome.BAD_RESPONSE, ""),
    "nothing": (Outcome.CLOSED, ""),
    "binary": (Outcome.BAD_RESPONSE, ""),
    "status-line-only": (Outcome.CLOSED, ""),
    "length-too-long": (Outcome.CLOSED, "disconnect"),
    "length-too-short": (Outcome.RESPONSE, ""),
    "length-negative": (Outcome.RESPONSE, ""),
    "length-no-number": (Outcome.RESPONSE, ""),
    "length-beyond-64-bits": (Outcome.RESPONSE, ""),
    "lengths-that-differ": (Outcome.BAD_RESPONSE, ""),
    "length-and-chunks": (Outcome.RESPONSE, ""),
    "chunk-size-no-number": (Outcome.BAD_RESPONSE, "unspecified"),
    "chunk-size-beyond-64-bits": (Outcome.BAD_RESPONSE, "unspecified"),
    "chunk-longer-than-its-size": (Outcome.BAD_RESPONSE, "unspecified"),
    "chunks-cut": (Outcome.CLOSED, "disconnect"),
    "endless-chunk-extension": (Outcome.BAD_RESPONSE, "unspecified"),
    "endless-trailer": (Outcome.BAD_RESPONSE, "unspecified"),
    "endless-tiny-chunks": (Outcome.RESPONSE, CUT),
    "endless-body": (Outcome.RESPONSE, CUT),
    "endless-chunks": (Outcome.RESPONSE, CUT),
    "endless-tags": (Outcome.RESPONSE, CUT),
    "endless-body-slowly": (Outcome.TOO_SLOW, "time"),
    "dripping-body": (Outcome.RESPONSE_TIMEOUT, ""),  # its head drips, too
    "said-to-be-gzip": (Outcome.RESPONSE, ""),
    "gzip-cut": (Outcome.RESPONSE, ""),
    "unknown-coding": (Outcome.RESPONSE, ""),
    "redirect-to-itself": (Outcome.RESPONSE, ""),
    "redirect-there": (Outcome.RESPONSE, ""),
    "redirect-back": (Outcome.RESPONSE, ""),
    "redirect-nowhere": (Outcome.RESPONSE, ""),
    "redirect-to-no-url": (Outcome.RESPONSE, ""),
    "redirect-to-file": (Outcome.RESPONSE, ""),
    "redirect-into-private-network": (Outcome.RESPONSE, ""),
    "gzip-bomb": (Outcome.RESPONSE, ""),
    "deflate-bomb": (Outcome.RESPONSE, ""),
    "br-bomb": (Outcome.RESPONSE, ""),
    "zstd-bomb": (Outcome.RESPONSE, ""),
}
CHAIN = "chain.test"
HOPS = 25
# It would be asked for: that it may not is tests/pipeline/test_private_addresses.py's.
LEADS_OUT = ("redirect-into-private-network",)


# Each is met by a crawl with one short time-out: on a busy machine, others are slow now and then as well.
SLOW = {
    "dripping-head": "response_timeout_s",
    "dripping-body": "response_timeout_s",
    "endless-body-slowly": "idle_timeout_s",
}
SHORT_S = 0.8


def answers() -> dict[str, Behaviour]:
    return {name: answer for name, answer in hostile_answers(64 * MIB).items() if name not in LEADS_OUT}


def host_of(name: str) -> str:
    return f"{name}.test"


@pytest.fixture(scope="module")
def met() -> Met:
    """One crawl serves most tests here: most of its time it waits."""
    sites = {(host_of(name), f"/{name}"): answer for name, answer in answers().items() if name not in SLOW}
    chain = redirect_chain(CHAIN, HOPS)
    with scratch_folder() as folder:
        return meet(folder / "crawl", sites | chain, seeds=[*sites, (CHAIN, f"/chain/{HOPS}")])


@pytest.fixture(scope="module")
def met_slow() -> dict[str, Row]:
    """How each of the slow ones ended."""
    slow = {(host_of(name), f"/{name}"): answers()[name] for name in SLOW}
    with scratch_folder() as folder, SimProcess(WebSpec(hosts=1, pages=1), slow) as sim:
        urls = {name: sim.web.url(host_of(name), f"/{name}") for name in SLOW}
        configs = [
            quick_config(sim, seeds=(urls[name],), retry_wait_scale=0.002, slow_factor=0.0, **{timeout: SHORT_S})
            for name, timeout in SLOW.items()
        ]
        crawled = crawl_side_by_side(folder, *configs)
    return {name: one.files.row(urls[name]) for name, one in zip(SLOW, crawled, strict=True)}


def test_every_hostile_answer_is_met_here() -> None:
    assert set(EXPECTED) == set(hostile_answers(MIB)) >= set(HOSTILE)


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in (*LEADS_OUT, *SLOW)])
def test_a_hostile_answer_ends_and_has_its_name(name: str, met: Met) -> None:
    row = met.row(host_of(name), f"/{name}")
    assert (row.outcome, row.truncated) == EXPECTED[name]
    assert row.body_bytes <= MAX_BODY_BYTES


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_answer_ends_and_has_its_name(name: str, met_slow: dict[str, Row]) -> None:
    assert (met_slow[name].outcome, met_slow[name].truncated) == EXPECTED[name]


def test_a_chain_of_redirects_is_followed_so_far_and_no_further(met: Met) -> None:
    walked = [row.url for row in met.files.rows if CHAIN in row.url]
    assert len(walked) == 11  # the seed, and ten redirects
    assert met.web.url(CHAIN, "/end", "http") not in walked


def test_redirects_in_a_circle_are_asked_for_once(met: Met) -> None:
    for name in ("redirect-to-itself", "redirect-there"):
        asked = [request for request in met.log if request.host == host_of(name) and not is_side(request.path)]
        assert len(asked) == len({request.path for request in asked}), name


def test_hostile_answers_leave_the_rest_of_the_web_alone(met: Met) -> None:
    met.assert_neighbours_are_unharmed()


def test_memory_stays_bounded_among_hostile_answers(met: Met) -> None:
    assert met.peak_bytes < BOUND_BYTES


def test_the_crawl_ends_because_it_is_done(met: Met) -> None:
    assert met.exit_code == 0
