from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.filter import FilterChain, Stage, UrlFilter, load_filter
from weft.types import Link, Refusal

USERS = f"{__package__}.users"


def load(name: str) -> UrlFilter:
    return load_filter(f"{USERS}:{name}")


def test_a_function_refuses_by_true() -> None:
    rule = load("no_calendar")
    assert rule.stage == Stage.SCHEDULE
    assert rule.refuses(Link("http://h/calendar/2030", 4)) == Refusal.USER
    assert rule.refuses(Link("http://h/calendar/2030", 2)) is None


def test_a_function_may_name_its_reason() -> None:
    assert load("names_its_reason").refuses(Link("http://h/", 1)) == Refusal.LENGTH
    assert load("names_its_reason").refuses(Link("http://h/", 0)) is None


def test_a_class_is_made_and_its_stage_heeded() -> None:
    rule = load("Plain")
    assert rule.stage == Stage.FETCH
    assert rule.refuses(Link("http://h/", 1)) == Refusal.USER
    assert rule.refuses(Link("http://h/", 1, via="http://h/")) is None


def test_a_class_derived_from_ours_keeps_its_stage() -> None:
    rule = load("Whole")
    assert rule.stage == Stage.FETCH
    assert (rule.rule, rule.bounds_scope) == (f"{USERS}:Whole", False)


def test_an_object_keeps_its_state() -> None:
    rule = load("only_two")
    link = Link("http://h/", 1)
    assert [rule.refuses(link) for _ in range(3)] == [None, None, Refusal.USER]


def test_a_part_of_an_object_can_be_named() -> None:
    assert load("Whole.refuses").stage == Stage.SCHEDULE


def test_a_loaded_filter_works_in_a_chain() -> None:
    chain = FilterChain([load("no_calendar"), load("Whole")])
    assert chain.at(Stage.SCHEDULE).refuses(Link("http://h/", 1)) is None
    assert chain.at(Stage.FETCH).refuses(Link("http://h/", 1)) == Refusal.USER


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("", "package.module:Name"),
        ("no_colon", "package.module:Name"),
        (":name", "package.module:Name"),
        ("module:", "package.module:Name"),
        ("no_such_module_anywhere:x", "cannot be imported"),
        ("..relative:x", "cannot be imported"),
        (f"{USERS}:missing", "has no 'missing'"),
        (f"{USERS}:Plain.missing", "has no 'Plain.missing'"),
        (f"{USERS}:number", "neither a function"),
        (f"{USERS}:NoFilter", "no method 'refuses'"),
        (f"{USERS}:Counting", "without arguments"),
        (f"{USERS}:OddStage", "unknown stage 'sometime'"),
    ],
)
def test_what_cannot_be_loaded_is_bad_input_in_one_sentence(path: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_filter(path)
    message = str(caught.value)
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["judges_later", "judges_bit_by_bit", "JudgesLater", "called_later", "partly_later"])
def test_a_filter_that_answers_later_is_bad_input_in_one_sentence(name: str) -> None:
    with pytest.raises(BadInput, match="must answer at once"):
        load(name)


def test_an_answer_counts_as_it_does_after_if() -> None:
    rule = load("answers_with_a_match")
    assert rule.refuses(Link("http://h/2030/", 1)) is Refusal.USER
    assert rule.refuses(Link("http://h/", 1)) is None


@pytest.mark.parametrize("name", ["answers_with_no_truth", "hands_on", "leaves"])
def test_an_answer_that_is_neither_yes_nor_no_refuses_the_link_and_is_told(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load(name).refuses(Link("http://h/", 1)) is Refusal.USER
    assert name in capsys.readouterr().err


def test_a_class_derived_from_ours_may_answer_as_a_function_does() -> None:
    rule = load("AnswersTrue")
    assert rule.refuses(Link("http://h/", 3)) is Refusal.USER
    assert (rule.rule_of("http://h/", "h", 3), rule.bounds_scope) == ("deeper than 2", True)
