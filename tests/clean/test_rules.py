"""Rules are data: what is right is used, and what is wrong is told in one sentence."""

from __future__ import annotations

import tomllib

import msgspec
import pytest

from weft.clean import PRESET_OF, PRESETS, Cleaner, Form, Rules, preset_named, rules_from
from weft.errors import BadInput


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kil": ["a"]}, "there is no rule 'kil'; did you mean 'kill'?"),
        ({"keep-attributes": []}, "there is no rule 'keep-attributes'; did you mean 'keep_attributes'?"),
        ({"zzz": []}, "there is no rule 'zzz'; there are preset, kill, unwrap, drop, keep"),
        ({"preset": "papper"}, "there is no preset 'papper'; did you mean 'paper'?"),
        ({"preset": "x"}, "there is no preset 'x'; there are none, paper, text, article, safe"),
        ({"drop": ["p", "a["]}, "'a[' is not a CSS selector: expected an identifier at position 2"),
        ({"keep": ["a:nosuch"]}, "'a:nosuch' is not a CSS selector: unknown pseudo-class"),
        ({"kill": "script"}, "the rule 'kill' cannot be used: expected `array`, got `str`"),
        ({"drop": [1]}, "the rule 'drop' cannot be used: expected `str`, got `int`"),
        ({"comments": "yes"}, "the rule 'comments' cannot be used: expected `bool`, got `str`"),
        ({"kill": ["<b>"]}, "'<b>' is not the name of a tag"),
        ({"unwrap": ["a, b"]}, "'a, b' is not the name of a tag"),
        ({"keep_attributes": ["[x]"]}, "'[x]' is not the name of an attribute"),
        ({"kill": [""]}, "'' is not the name of a tag"),
    ],
)
def test_bad_rules_are_told_in_one_sentence(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        rules_from(settings)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_bad_rules_cannot_be_made_in_python_either() -> None:
    with pytest.raises(BadInput, match="not a CSS selector"):
        Rules(drop=("a[",))


def test_rules_are_read_from_toml() -> None:
    rules = rules_from(tomllib.loads('preset = "article"\ndrop = [".ad"]\ncomments = true\n'))
    assert rules == msgspec.structs.replace(PRESETS["article"], drop=(".ad",), comments=True)


def test_without_a_preset_nothing_goes_but_what_is_named() -> None:
    page = "<!DOCTYPE html><html><head></head><body> <!-- c --><p>x</p> <i>y</i></body></html>"
    assert Cleaner(rules_from({})).clean(page).content == page
    assert Cleaner(rules_from({"unwrap": ["i"]})).clean(page).content == page.replace("<i>y</i>", "y")


def test_rules_travel_as_json() -> None:
    for rules in PRESETS.values():
        assert msgspec.json.decode(msgspec.json.encode(rules), type=Rules) == rules


def test_each_form_has_a_preset_of_its_own() -> None:
    for form in Form:
        assert preset_named(PRESET_OF[form]) in PRESETS.values()


def test_tags_of_word_processors_and_of_any_case_are_tags() -> None:
    page = "<body><o:p>a</o:p><My-Tag>b</My-Tag><svg><linearGradient></linearGradient></svg></body>"
    rules = Rules(kill=("o:p", "MY-TAG", "lineargradient"))
    assert Cleaner(rules).clean(page).content == "<html><head></head><body><svg></svg></body></html>"


PAGE = "<div id=a><nav><p class=k>one<img></p><img>two</nav><img><form class=k>three<form></form></form></div>"


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        (Rules(kill=("img",), keep=(".k",)), '<p class="k">one<img></p>two</nav><form class="k">three'),
        (Rules(drop=("nav",), keep=(".k",)), '<div id="a"><img><form class="k">three'),  # a kept element goes with it
        (Rules(drop=("nav",), keep=("nav",)), '<nav><p class="k">one<img></p><img>two</nav><img>'),
        (Rules(unwrap=("form", "p"), keep=("form",)), '<nav>one<img>\n<img>two</nav><img><form class="k">three'),
        (Rules(drop=("#a > nav > img", "form")), '<p class="k">one<img></p>two</nav><img></div>'),
    ],
)
def test_keep_protects_an_element_and_what_is_in_it(rules: Rules, left: str) -> None:
    assert left in Cleaner(rules).clean(PAGE).content


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        (Rules(), '<p id="i" class="c d" data-x="1" data-y="2" onclick="z" title="">'),
        (Rules(keep_attributes=("id", "DATA-*")), '<p id="i" data-x="1" data-y="2">'),
        (Rules(drop_attributes=("on*", "class")), '<p id="i" data-x="1" data-y="2" title="">'),
        (Rules(keep_attributes=("data-*", "id"), drop_attributes=("data-x",)), '<p id="i" data-y="2">'),
        (Rules(keep_attributes=()), "<p>"),
    ],
)
def test_attributes_stay_or_go_by_name(rules: Rules, left: str) -> None:
    page = '<p id=i class="c d" data-x=1 data-y=2 onclick=z title>text'
    assert left in Cleaner(rules).clean(page).content
    safe = msgspec.structs.replace(rules, safe=True)
    assert left.replace(' onclick="z"', "") in Cleaner(safe).clean(page).content
