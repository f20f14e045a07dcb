"""Regular expressions that are compiled late (weft.regex)."""

from __future__ import annotations

import gc
import pkgutil
import re
from importlib import import_module

import pytest

import weft
from weft.regex import _Later, regex


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


def test_every_late_pattern_of_weft_is_one() -> None:
    for module in pkgutil.walk_packages(weft.__path__, "weft."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    late = [one for one in gc.get_objects() if isinstance(one, _Later)]
    assert len(late) > 200
    for one in late:
        re.compile(*one._source)
