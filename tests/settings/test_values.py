"""What a program's keywords mean."""

from __future__ import annotations

from typing import Any

import pytest

from weft.config import CrawlConfig, checked
from weft.errors import BadInput
from weft.settings.table import CRAWL_SETTINGS
from weft.settings.units import Unit, measured, written
from weft.settings.values import read_keywords


@pytest.mark.parametrize(
    ("keyword", "given", "field", "value"),
    [
        ("delay", 2, "delay_s", 2.0),
        ("delay", "500ms", "delay_s", 0.5),
        ("max_body", "10M", "max_body_bytes", 10_000_000),
        ("max_body", 10, "max_body_bytes", 10),
        ("max_pages", None, "max_pages", None),
        ("max_time", "none", "max_time_s", None),
        ("clean_preset", None, "clean_preset", None),
        ("with_", "text, article", "with_forms", ("text", "article")),
        ("with_", ["html"], "with_forms", ("html",)),
        ("include", ["/a", "/b"], "include", ("/a", "/b")),
        ("include", "/a", "include", ("/a",)),  # not "/" and "a"
        ("include", (), "include", ()),
        ("header", {"A": "b"}, "headers", (("A", "b"),)),
        ("header", [("A", "b"), "C: d"], "headers", (("A", "b"), ("C", "d"))),
        ("header", "A: b", "headers", (("A", "b"),)),
        ("auth", {"site.test": "me:secret"}, "auth", (("site.test", "me:secret"),)),
        ("sitemap", True, "sitemaps", True),
    ],
)
def test_a_keyword_means_a_field_of_the_crawl(keyword: str, given: object, field: str, value: object) -> None:
    assert read_keywords({keyword: given}) == {field: value}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"dealy": 1}, "there is no setting 'dealy'; did you mean 'delay'?"),
        ({"delay_s": 1}, "did you mean 'delay'?"),
        ({"mirror": True}, "there is no setting 'mirror'"),
        ({"delay": None}, "the setting delay must be a number of at least 0, or with a unit: 500ms"),
        ({"depth": True}, "the setting depth must be a whole number of at least 0, not true"),
        ({"scope": "planet"}, "one of host, domain, prefix, any"),
        ({"include": [5]}, "a text, or a list of texts, not [5]"),
        ({"include": {"a": "b"}}, "a text, or a list of texts"),
        ({"header": {"A": 5}}, "header"),
        ({"user_agent": "bot \udcff"}, "the setting user_agent must be a text, not 'bot \\udcff'"),
        ({"include": ["\udcff"]}, "a text, or a list of texts"),
        ({"header": [("A", "b", "c")]}, "header"),
        ({"proxy": ["http://me:secret@proxy.test/"]}, "the setting proxy must be a text"),
        ({"auth": [("site.test", "me:secret", "x")]}, "auth must be a text, or a list of texts"),
        ({"auth": "me:secret"}, "the setting auth: a login must look like"),
    ],
)
def test_a_keyword_that_cannot_be_is_told_in_one_sentence(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_keywords(given)
    assert told in str(caught.value)
    assert "secret" not in str(caught.value)


def test_each_field_of_the_crawl_but_its_seeds_purpose_and_what_others_lead_to_is_a_setting() -> None:
    others = {"seeds", "mirror", "topic_words", "topic_pages_read", "paused", "host_delays", "blocked_hosts"}
    assert {setting.field for setting in CRAWL_SETTINGS} == set(CrawlConfig.__struct_fields__) - others


def test_every_default_is_a_value_that_the_crawl_takes() -> None:
    defaults = {setting.keyword: setting.default for setting in CRAWL_SETTINGS}
    assert checked(read_keywords(defaults)) == CrawlConfig()


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [(1, Unit.TIME, "1s"), (90, Unit.TIME, "90s"), (3600, Unit.TIME, "1h"), (10**9, Unit.SIZE, "1G"),
     (64 * 2**20, Unit.SIZE, "64Mi"), (2**30, Unit.SIZE, "1Gi")],
)  # fmt: skip
def test_an_amount_is_written_in_the_largest_unit_of_which_it_is_a_multiple(
    amount: float, unit: Unit, text: str
) -> None:
    assert written(amount, unit) == text
    assert measured(text, unit) == amount


@pytest.mark.parametrize("given", ["", " , ", [""], ["", " "]])
def test_a_list_of_words_in_which_there_is_none_is_refused(given: object) -> None:
    with pytest.raises(BadInput, match=r"^the setting with_ is empty$"):
        read_keywords({"with_": given}, CRAWL_SETTINGS)
