"""What follows a failed try."""

from __future__ import annotations

import pytest

from weft.fetch import Retry, after
from weft.fetch.retry import OUTCOME_RULES, STATUS_RULES, Rule, Who
from weft.types import Outcome


def waits(result: Outcome | int) -> list[float]:
    """The wait after each failed try, until there is no more."""
    found: list[float] = []
    while (retry := after(result, len(found) + 1)) is not None:
        found.append(retry.wait_s)
        assert len(found) < 100
    return found


def rule_of(result: Outcome | int) -> Rule:
    return OUTCOME_RULES[result] if isinstance(result, Outcome) else STATUS_RULES[result]


def test_every_outcome_has_its_rule() -> None:
    assert set(OUTCOME_RULES) == set(Outcome)


@pytest.mark.parametrize("result", [*OUTCOME_RULES, *STATUS_RULES])
def test_tries_end_and_waits_never_shrink(result: Outcome | int) -> None:
    found = waits(result)
    assert len(found) == rule_of(result).tries - 1
    assert found == sorted(found)
    assert all(0 < wait_s < 3600 for wait_s in found)


def test_wait_grows_with_each_try() -> None:
    for result in (Outcome.CONNECT_REFUSED, 503):
        rule = rule_of(result)
        assert rule.growth > 1
        assert waits(result) == [rule.first_wait_s * rule.growth**number for number in range(rule.tries - 1)]


def test_trouble_of_a_host_or_an_authority_holds_back_all_of_it() -> None:
    for result in (Outcome.DNS_FAILED, 429, 503):
        assert after(result, 1) == Retry(rule_of(result).first_wait_s, Who.HOST)
    for result in (
        Outcome.CONNECT_TIMEOUT, Outcome.CONNECT_REFUSED, Outcome.TLS_CERTIFICATE, Outcome.PROXY_FAILED
    ):  # fmt: skip
        assert after(result, 1) == Retry(rule_of(result).first_wait_s, Who.AUTHORITY)
    for result in (Outcome.RESET, Outcome.STALLED, 500):
        assert after(result, 1) == Retry(rule_of(result).first_wait_s, Who.URL)


@pytest.mark.parametrize(
    "result", [200, 301, 403, 404, 410, 501, 505, Outcome.RESPONSE, Outcome.POISON, Outcome.DNS_NOT_FOUND]
)
def test_what_is_final_is_not_tried_again(result: Outcome | int) -> None:
    assert after(result, 1) is None


def test_waits_can_be_scaled() -> None:
    full, half = after(Outcome.RESET, 2), after(Outcome.RESET, 2, wait_scale=0.5)
    assert full is not None
    assert half == Retry(full.wait_s / 2, Who.URL)


@pytest.mark.parametrize("status", [504, 522, 524])
def test_a_gateway_that_cannot_reach_its_server_is_tried_again_like_502(status: int) -> None:
    assert STATUS_RULES[status] == STATUS_RULES[502]
