"""Regular expressions that are compiled late (weft.regex). That all of weft's are some, test_repeats shows."""

from __future__ import annotations

import re

import pytest

from weft.regex import regex


def test_a_late_pattern_does_what_a_compiled_one_does() -> None:
    late, compiled = regex(r"(?P<word>[a-z]+)\s", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)\s", re.IGNORECASE)
    for _ in range(2):  # when it is compiled, and afterwards
        found = late.search("1 One two")
        assert found is not None
        assert found.groupdict() == {"word": "One"}
        assert late.sub("-", "one two ") == compiled.sub("-", "one two ")
        assert (late.pattern, late.flags, late.groups) == (compiled.pattern, compiled.flags, compiled.groups)


def test_a_late_pattern_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    late = regex(b"a+")
    assert late.findall(b"aab") == [b"aa"]
    monkeypatch.setattr(re, "compile", None)
    assert late.findall(b"aab") == [b"aa"]
