"""How a crawl ended, in words."""

from __future__ import annotations

import pytest

from weft.api.wording import outcomes_in
from weft.pipeline.prepare import UNREACHABLE


@pytest.mark.parametrize(
    ("why", "outcomes"),
    [
        (f"{UNREACHABLE} (connect-refused)", {"connect-refused"}),
        (f"{UNREACHABLE} (unreachable)", {"unreachable"}),
        (f"{UNREACHABLE} (503)", set()),
        ("connect-timeout", {"connect-timeout"}),
        ("dns-failed", {"dns-failed"}),
        ("blocked by hand", set()),
        ("status 429", set()),
    ],
)
def test_advice_is_about_how_it_failed_and_not_about_a_word_of_the_sentence(why: str, outcomes: set[str]) -> None:
    assert outcomes_in(why) == outcomes
