"""The table of settings."""

from __future__ import annotations

import msgspec
import pytest

from weft.cli.settings import SETTINGS
from weft.config import CrawlConfig
from weft.settings.pairs import header as header_in
from weft.settings.setting import Group, Kind, Setting
from weft.settings.values import read_value

DESIGN = {
    "output", "seeds", "sitemap", "depth", "max-pages", "max-bytes", "max-time", "scope", "include", "exclude", "delay",
    "connections-per-host", "rate", "order", "max-body", "max-host-wait", "header", "cookies", "auth", "proxy",
    "insecure", "user-agent", "allow-private", "ignore-robots", "json", "quiet",
}  # fmt: skip


def named(setting: Setting) -> str:
    return setting.name


def test_every_flag_of_the_design_is_a_setting() -> None:
    assert {setting.name for setting in SETTINGS} >= DESIGN


def test_no_two_settings_share_a_name_a_field_or_a_short_flag() -> None:
    for taken in (
        [setting.name for setting in SETTINGS],
        [setting.field for setting in SETTINGS if setting.field],
        [setting.short for setting in SETTINGS if setting.short],
    ):
        assert len(taken) == len(set(taken))


@pytest.mark.parametrize("setting", SETTINGS, ids=named)
def test_a_setting_belongs_to_a_field_of_the_crawl_or_to_the_command(setting: Setting) -> None:
    fields = {field.name for field in msgspec.structs.fields(CrawlConfig)}
    if setting.field is None:
        assert setting.name in ("seeds", "output", "dashboard", "json", "quiet", "log", "log-every", "log-level")
    else:
        assert setting.field in fields


@pytest.mark.parametrize("setting", SETTINGS, ids=named)
def test_a_default_is_a_value_that_could_be_given(setting: Setting) -> None:
    default = setting.default
    if default is None:
        assert setting.kind in (Kind.WHOLE, Kind.NUMBER, Kind.TEXT)
    elif setting.kind in (Kind.LIST, Kind.TABLES):
        assert default == ()
    else:
        assert read_value(setting, default, "default") == default


def test_settings_stand_by_subject_in_the_order_of_the_help() -> None:
    assert [setting.group for setting in SETTINGS] == sorted(
        (setting.group for setting in SETTINGS), key=[*map(str, Group)].index
    )


@pytest.mark.parametrize("setting", SETTINGS, ids=named)
def test_numbers_have_a_lower_bound_and_switches_no_value(setting: Setting) -> None:
    assert (setting.at_least is not None) == (setting.kind in (Kind.WHOLE, Kind.NUMBER))
    assert bool(setting.metavar) == (setting.kind is not Kind.SWITCH)


def test_what_decides_which_urls_belong_to_a_crawl_cannot_be_changed_when_it_goes_on() -> None:
    assert {setting.field for setting in SETTINGS if not setting.on_resume and setting.field} == {
        "refuse_suffixes", "filters", "requisites", "requisites_anywhere", "sitemaps", "follow", "obey_rel_nofollow",
        "max_url_chars", "max_redirects", "traps", "order", "topic", "topic_file", "topic_pages", "graph", "patience",
        "links", "strip_query", "follow_tags", "ignore_tags", "host_folder", "cut_dirs", "flat", "query_names",
        "archive",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Name: value", ("Name", "value")),
        ("Cookie: a=b:c", ("Cookie", "a=b:c")),
        ("Cookie:a=b", ("Cookie", "a=b")),
        ("example.org=Name: value", ("example.org=Name", "value")),
        ("example.org:8080=Cookie: a=b", ("example.org:8080=Cookie", "a=b")),
        ("[::1]:80=X: y", ("[::1]:80=X", "y")),
        ("https://example.org=Authorization: Basic YTpi==", ("https://example.org=Authorization", "Basic YTpi==")),
    ],
)
def test_a_header_is_read_with_and_without_a_host(text: str, header: tuple[str, str]) -> None:
    assert header_in(text) == header
