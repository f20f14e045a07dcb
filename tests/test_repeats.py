from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.possessive_groups import has_possessive_group
from weft.repeats import repeated

_ONE_SIDED_COMMENT = r"[^-]++|-(?!->)"


@pytest.mark.parametrize(
    ("pattern", "text", "taken"),
    [
        (repeated(_ONE_SIDED_COMMENT), " no -->", " no "),  # before 3.11.5, `(?:…)*+` takes the first - too
        (repeated(_ONE_SIDED_COMMENT) + "-->", " n-o --->", " n-o --->"),
        (repeated("ab?c"), "abcaca", "abcac"),
        (repeated("ab?c"), "a", ""),
        (repeated("""[^"']++|"[^"]*+\""""), """ a="b" c=\"""", """ a="b" c="""),
        (repeated("a|ab") + "c", "abc", None),
        (repeated("ab") + "ab", "ababab", None),
        (repeated("ab"), "ab" * 12_345 + "a", "ab" * 12_345),
    ],
)
def test_what_is_repeated_takes_all_there_is_and_gives_nothing_back(pattern: str, text: str, taken: str | None) -> None:
    found = re.match(pattern, text)
    assert (found[0] if found else None) == taken


def by_steps(group: str, text: str) -> int:
    """Where the last repetition ends, found one by one."""
    at = 0
    while found := re.compile(group).match(text, at):
        at = found.end()
    return at


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from([_ONE_SIDED_COMMENT, "ab?c", "a|ab", "a(?=b)|b(?!b)|-", "[ab]++-|c", "(?:a|b-)c", 'a"[^"]*+"|b']),
    st.text(alphabet='abc->"', max_size=30),
    st.sampled_from((1, 99, 100, 101, 250)),
)
def test_it_takes_what_step_by_step_is_taken(group: str, text: str, times: int) -> None:
    for longer in (text, text * times):
        found = re.match(repeated(group), longer)
        assert found is not None
        assert found.end() == by_steps(group, longer)


@pytest.mark.parametrize("method", [re.match, re.fullmatch, re.search])
def test_it_can_stand_anywhere_in_a_pattern(method: Callable[[str, str], re.Match[str] | None]) -> None:
    found = method(rf"<(\w++)((?: {repeated('x|yz')})*)>", "<a xyz yzx >")
    assert found is not None
    assert found.groups() == ("a", " xyz yzx ")


@pytest.mark.parametrize(
    ("pattern", "has_one"),
    [
        ("(?:ab)*+", True),
        ("(?:ab|c)++", True),
        ("(a)?+", True),
        ("(?:ab){2,3}+", True),
        (b"x(?=y(?:ab)?+)", True),
        ("(?:x|(?>a(?:bc)*+))", True),
        ("[^a]*+b++c?+d{1,2}+(?:e)*+", False),
        ("(?>(?:ab)*)[()*+]", False),
        (repeated("ab|c"), False),
    ],
)
def test_a_possessive_group_is_noticed(pattern: str | bytes, has_one: bool) -> None:
    assert has_possessive_group(pattern) is has_one


def test_no_pattern_has_a_possessive_group() -> None:
    looked = [sys.executable, "-m", "tests.possessive_groups"]
    assert subprocess.run(looked, capture_output=True, text=True, check=True).stdout == ""
