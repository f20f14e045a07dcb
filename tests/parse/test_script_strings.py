"""The strings of scripts, in whatever surroundings; hostile texts take time by their length."""

from __future__ import annotations

import random

import pytest

from tests.cpu_time import least_cpu_s
from weft.parse.script import parse_script
from weft.parse.script_strings import MAX_NESTED, script_strings

PIECES = (
    *('"', "'", "`", "${", "}", "{", "/", "/*", "*/", "//", "\\", "\n", "[", "]", "(", ")", "+", "<", ">", "=", "a.js"),
    *("import ", "from ", "import(", "new URL(", ", import.meta.url", "fetch(", "importScripts(", "return ", "./b.js"),
    *("<img src=", "<script>", "</script", "<template>", "\u2028", "\ud800", "é", "\0", "\r", "\\u{110000}", "\\x4"),
    *("var NAVTREE = [ [ ", "NAVTREEINDEX = [", "indexSectionsWithContent = {", '0: "ab"', ", ", '"c"', "null", "1e9"),
)


@pytest.mark.parametrize(
    ("script", "strings"),
    [
        ("a = \"b\" + 'c' + `d`", ["b", "c", "d"]),
        ('// "no"\nx = "yes" /* \'no\' */', ["yes"]),
        ("x = /[\"'`/]/g.test('yes')", ["yes"]),
        ("return /\"/.test('yes')", ["yes"]),
        ("x = a / b; y = 'yes' / 2; z = 'too'", ["yes", "too"]),
        ("x = (1) / 2 + 'yes'", ["yes"]),
        ("`a${'in'}b${`deep${\"er\"}x`}tail` + 'after'", ["in", "er", "x", "tail", "after"]),
        ("`${ {a: {b: 'in'}} }end`", ["in", "end"]),
        ('"a\\"b" + "c\\\\"', ['a"b', "c\\"]),
        ('"\\x2fa\\u002fb\\u{2f}c\\/d\\\ne"', ["/a/b/c/de"]),
        ('"no end\nx = "yes"', ["no end", "yes"]),
        ("/* no end 'no'", []),
        ("`no end + 'yes'", ["yes"]),
        ('{"a": ["b\\/c.png", 1]}', ["a", "b/c.png"]),
        ("", []),
    ],
)
def test_strings_are_found_wherever_they_stand(script: str, strings: list[str]) -> None:
    assert [found.text for found in script_strings(script)] == strings


@pytest.mark.parametrize("script", ['x = "a\\/b.js" + `c${"d"}e`'])
def test_a_string_stands_where_it_says(script: str) -> None:
    for found in script_strings(script):
        assert script[found.start : found.end] == found.raw


def _cost_s(script: str) -> float:
    return least_cpu_s(
        lambda: parse_script(script.encode("utf-8", "replace"), "https://a.org/js/a.js", via="https://a.org/")
    )


HOSTILE = (
    '"\\', "`", "/[", "x=/[", '"\\"', "`${", "`${`}", "/*", "*/", "${}`", "\n'", "`${{", "<img src=", '"<img src=a ',
    "+'a.js", "import(", '",', '["a", "b", "', "NAVTREE = [ [ ", 'var a = [ [ "a", "', "0: ", "a/", "/a", "\\",
    "'./a.js',", "from ",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_script_of_one_piece_again_and_again_takes_time_by_its_length(piece: str) -> None:
    few, many = 20_000 // len(piece), 160_000 // len(piece)
    assert _cost_s(piece * many) < 8 * 4 * max(_cost_s(piece * few), 0.002)


def test_templates_nest_no_deeper_than_is_honest() -> None:
    assert list(script_strings("`${" * (MAX_NESTED + 10) + "'a'")) == []


def _fuzz(count: int, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(count):
        script = "".join(dice.choices(PIECES, k=dice.randrange(40)))
        body = script.encode("utf-8", "surrogatepass")
        page = parse_script(
            body, "https://a.org/js/a.js", dice.choice((None, "text/javascript; charset=utf-8")), via="https://a.org/"
        )
        assert all(url.startswith("http") for url in page.places)


def test_no_script_is_too_odd() -> None:
    _fuzz(2_000, seed=1)


@pytest.mark.large
def test_no_script_of_a_hundred_thousand_is_too_odd() -> None:
    _fuzz(100_000, seed=2)
