"""Where settings come from: which source wins, and what is said of a mistake in each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import trustme

from weft.cli.settings import SETTINGS
from weft.cli.sources import Effective, Given, SourceKind, effective, settings_file
from weft.errors import BadInput
from weft.settings.setting import Kind, Setting

NO_FILE = {"XDG_CONFIG_HOME": os.devnull}


def settings(tmp_path: Path, toml: str = "", environment: dict[str, str] | None = None, **flags: object) -> Effective:
    file = tmp_path / "mine.toml"
    file.write_text(toml)
    return effective(flags, file, environment or {})


def refusal(tmp_path: Path, toml: str = "", environment: dict[str, str] | None = None, **flags: object) -> str:
    with pytest.raises(BadInput) as caught:
        settings(tmp_path, toml, environment, **flags)
    return str(caught.value)


def test_flags_win_over_the_environment_over_the_file_over_defaults(tmp_path: Path) -> None:
    toml = "delay = 2\nmax-pages = 20\nworkers = 2"
    found = settings(tmp_path, toml, {"WEFT_DELAY": "3", "WEFT_MAX_PAGES": "30"}, delay="4")
    file = str(tmp_path / "mine.toml")
    assert found.given["delay"] == Given(4.0, SourceKind.FLAG, "--delay")
    assert found.given["max-pages"] == Given(30, SourceKind.ENVIRONMENT, "WEFT_MAX_PAGES")
    assert found.given["workers"] == Given(2, SourceKind.FILE, file)
    assert found.given["connections"] == Given(1024, SourceKind.DEFAULT)


def test_the_crawl_gets_the_settings_that_hold(tmp_path: Path) -> None:
    toml = 'delay = 0.5\nheader = ["A: b", "C: d"]\nauth = "example.test=me:secret"\nsitemap = true'
    config = settings(tmp_path, toml, {"WEFT_SCOPE": "any"}, depth="3").config(["http://example.test/"])
    assert config.seeds == ("http://example.test/",)
    assert (config.delay_s, config.scope, config.depth, config.sitemaps) == (0.5, "any", 3, True)
    assert config.headers == (("A", "b"), ("C", "d"))
    assert config.auth == (("example.test", "me:secret"),)


def test_a_later_list_replaces_an_earlier_one(tmp_path: Path) -> None:
    found = settings(tmp_path, 'exclude = ["/a", "/b"]', exclude=["/c"])
    assert found["exclude"] == ("/c",)


def test_a_switch_of_the_file_is_turned_off_by_a_flag(tmp_path: Path) -> None:
    assert settings(tmp_path, "sitemap = true")["sitemap"] is True
    assert settings(tmp_path, "sitemap = true", sitemap=False)["sitemap"] is False


def test_none_takes_back_a_limit(tmp_path: Path) -> None:
    found = settings(tmp_path, "max-pages = 5\nrate = 1", max_pages="none", rate="none")
    assert found.given["max-pages"] == Given(None, SourceKind.FLAG, "--max-pages")
    assert found["rate"] is None
    assert "'none'" in refusal(tmp_path, delay="none")  # a delay is not a limit that can be absent


def test_the_servers_of_a_cluster_are_no_setting_of_a_crawl(tmp_path: Path) -> None:
    found = settings(tmp_path, "", {"WEFT_NATS": "nats://127.0.0.1:4222", "WEFT_DELAY": "3"})
    assert [name for name, one in found.given.items() if one.source is SourceKind.ENVIRONMENT] == ["delay"]


def test_keys_may_be_written_with_underscores(tmp_path: Path) -> None:
    found = settings(tmp_path, "max_pages_per_host = 7\nconnections-per-host = 2")
    assert (found["max-pages-per-host"], found["connections-per-host"]) == (7, 2)


def test_forms_are_given_with_commas_or_as_a_list_by_one_name(tmp_path: Path) -> None:
    wanted = ("text", "article")
    assert settings(tmp_path, 'with = ["text", "article"]')["with"] == wanted
    assert settings(tmp_path, 'with = "text,article"')["with"] == wanted
    assert settings(tmp_path, "", {"WEFT_WITH": "text, article"})["with"] == wanted
    assert settings(tmp_path, "", with_=["text,article", "text"])["with"] == wanted
    assert "html, text, markdown, article" in refusal(tmp_path, with_=["prose"])


def test_a_name_that_is_gone_names_its_successor_in_file_and_environment(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"line 1: 'clean' is now 'with'$"):
        settings(tmp_path, 'clean = "text"')
    with pytest.raises(BadInput, match=r"^WEFT_CLEAN is now WEFT_WITH$"):
        settings(tmp_path, "", {"WEFT_CLEAN": "text"})


def value_for(setting: Setting, folder: Path) -> Any:
    """A value that is none of the defaults, where there is another."""
    if setting.choices:
        return setting.choices[-1]
    if setting.name == "cookies":
        (folder / "cookies").write_text("# Netscape HTTP Cookie File\n")
        return str(folder / "cookies")
    if setting.name == "ca-file":
        trustme.CA().cert_pem.write_to_path(folder / "ca.pem")
        return str(folder / "ca.pem")
    if setting.name == "hosts":
        (folder / "hosts.toml").write_text('[host."*.example.test"]\ndelay = 5\n')
        return str(folder / "hosts.toml")
    special = {
        "rule": "+*.pdf",
        "header": "A: b",
        "auth": "example.test=a:b",
        "login": "http://example.test/login",
        "login-field": "name=value",
        "dns-server": "127.0.0.1",
        "filter": "tests.filter.users:no_calendar",
        "extract": "tests.filter.users:no_calendar",
        "before-request": "tests.filter.users:no_calendar",
        "after-response": "tests.filter.users:no_calendar",
        "proxy": "http://127.0.0.1:1",
        "bind": "127.0.0.1",
        "traps": "-calendar",
        "order": "bfs",
        "items": "items.csv",
    }
    usual = {Kind.WHOLE: 3, Kind.NUMBER: 2.5, Kind.SWITCH: True, Kind.TEXT: "text", Kind.LIST: "text"}
    return special.get(setting.name, usual[setting.kind])


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_can_stand_in_a_file_in_the_environment_and_in_a_flag(setting: Setting, tmp_path: Path) -> None:
    value = value_for(setting, tmp_path)
    toml = f"{setting.name} = {str(value).lower() if isinstance(value, bool | int | float) else repr(value)}"
    from_file = settings(tmp_path, toml)
    from_environment = settings(tmp_path, "", {setting.variable: str(value)})
    from_flag = effective({setting.keyword: value if setting.kind is Kind.SWITCH else str(value)}, None, NO_FILE)
    sources = [found.given[setting.name].source for found in (from_file, from_environment, from_flag)]
    assert sources == [SourceKind.FILE, SourceKind.ENVIRONMENT, SourceKind.FLAG]
    assert from_file[setting.name] == from_environment[setting.name] == from_flag[setting.name]


@pytest.mark.parametrize(
    ("variable", "text", "entries"),
    [
        ("WEFT_REFUSE_SUFFIX", "zip,mp4", ("zip", "mp4")),
        ("WEFT_REFUSE_SUFFIX", " zip ,\nmp4\n", ("zip", "mp4")),
        ("WEFT_INCLUDE", "re:a{1,3}", ("re:a{1,3}",)),  # a comma may be part of a pattern
        ("WEFT_INCLUDE", "/a\n/b,c\n\n", ("/a", "/b,c")),
    ],
)
def test_lists_in_the_environment_are_separated_by_lines_and_where_none_can_occur_by_commas(
    variable: str, text: str, entries: tuple[str, ...], tmp_path: Path
) -> None:
    name = variable.removeprefix("WEFT_").lower().replace("_", "-")
    assert settings(tmp_path, "", {variable: text})[name] == entries


def test_headers_of_the_environment_may_contain_commas(tmp_path: Path) -> None:
    found = settings(tmp_path, "", {"WEFT_HEADER": "Accept: text/html, */*\nX-A: 1"})
    assert found["header"] == (("Accept", "text/html, */*"), ("X-A", "1"))


def test_an_empty_variable_says_nothing(tmp_path: Path) -> None:
    assert settings(tmp_path, "delay = 2", {"WEFT_DELAY": ""}).given["delay"].source is SourceKind.FILE


@pytest.mark.parametrize("text", ["true", "yes", "on", "1", "TRUE"])
def test_words_that_turn_a_switch_on(text: str, tmp_path: Path) -> None:
    assert settings(tmp_path, "requisites = false", {"WEFT_REQUISITES": text})["requisites"] is True


@pytest.mark.parametrize("text", ["false", "no", "off", "0"])
def test_words_that_turn_a_switch_off(text: str, tmp_path: Path) -> None:
    assert settings(tmp_path, "requisites = true", {"WEFT_REQUISITES": text})["requisites"] is False


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("dpeth = 1", ["unknown key 'dpeth'", "'depth'"]),
        ("max_page = 1", ["unknown key 'max_page'", "'max-pages'"]),
        ("config = 'other.toml'", ["unknown key 'config'"]),
        ("[crawl]\ndepth = 1", ["unknown key 'crawl'"]),
        ("depth = 'deep'", ["'depth'", "a whole number of at least 0", "'deep'"]),
        ("depth = 1.5", ["'depth'", "a whole number"]),
        ("depth = true", ["'depth'", "a whole number", "true"]),
        ("depth = -1", ["'depth'", "at least 0"]),
        ("max-pages = 99999999999999999999", ["'max-pages'"]),
        ("delay = inf", ["'delay'", "a number"]),
        ("delay = nan", ["'delay'", "a number"]),
        ("rate = 0", ["'rate'", "at least 0.001"]),
        ("scope = 'planet'", ["'scope'", "host, domain, prefix, any", "'planet'"]),
        ("order = 'random'", ["'order'", "'random'"]),
        ("sitemap = 'yes'", ["'sitemap'", "true or false"]),
        ("user-agent = 5", ["'user-agent'", "a text"]),
        ('output = "a\\u0000b"', ["'output'", "a text"]),
        ("include = ['a', 5]", ["'include'", "a list of texts"]),
        ("include = 're:('", ["'include'", "re:("]),
        ("header = 'nonsense'", ["'header'", "'Name: value'"]),
        ("dns-server = 'home'", ["'dns-server'", "'home'"]),
        ("filter = 'no.such:thing'", ["'filter'", "no.such:thing"]),
        ("proxy = 'nonsense'", ["'proxy'"]),
        ("cookies = 'missing.txt'", ["'cookies'", "missing.txt"]),
        ("max-pages = 1\nmax_pages = 2", ["'max-pages'", "twice"]),
        ("depth =", ["not a TOML file"]),
    ],
)
def test_a_mistake_in_a_file_is_told_with_file_and_key(toml: str, words: list[str], tmp_path: Path) -> None:
    said = refusal(tmp_path, toml)
    assert str(tmp_path / "mine.toml") in said
    assert all(word in said for word in words), said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("WEFT_DELY", "1", ["unknown environment variable WEFT_DELY", "WEFT_DELAY"]),
        ("WEFT_DELY", "", ["WEFT_DELY", "WEFT_DELAY"]),
        ("WEFT_CONFIGS", "x", ["WEFT_CONFIGS", "WEFT_CONFIG"]),
        ("WEFT_DELAY", "soon", ["WEFT_DELAY", "a number of at least 0", "'soon'"]),
        ("WEFT_DEPTH", "1e3", ["WEFT_DEPTH", "a whole number"]),
        ("WEFT_SITEMAP", "perhaps", ["WEFT_SITEMAP", "true or false", "'perhaps'"]),
        ("WEFT_EXCLUDE", "re:(", ["WEFT_EXCLUDE", "re:("]),
    ],
)
def test_a_mistake_in_the_environment_is_told_with_the_variable(
    variable: str, text: str, words: list[str], tmp_path: Path
) -> None:
    said = refusal(tmp_path, "", {variable: text})
    assert all(word in said for word in words), said


def test_a_wrong_value_in_a_file_is_a_mistake_even_where_a_flag_overrides_it(tmp_path: Path) -> None:
    assert "'delay'" in refusal(tmp_path, "delay = 'x'", delay="1")


def test_what_a_flag_overrides_must_be_right_too(tmp_path: Path) -> None:
    said = refusal(tmp_path, "order = 'random'", order="bfs")
    assert said.startswith(f"{tmp_path / 'mine.toml'}, line 1: 'order': ")


@pytest.mark.parametrize(
    ("toml", "flags"),
    [
        ("user-agent = 'Mozilla/5.0 (X11)'\nrobots-agent = 'mybot'", {}),
        ("user-agent = 'Mozilla/5.0 (X11)'", {"robots_agent": "mybot"}),
        ("robots-agent = 'mybot'", {"user_agent": "Mozilla/5.0 (X11)"}),
        ("", {"user_agent": "Mozilla/5.0 (X11)", "robots_agent": "mybot"}),
    ],
)
def test_settings_that_are_right_only_together_are_taken(toml: str, flags: dict[str, Any], tmp_path: Path) -> None:
    assert settings(tmp_path, toml, **flags)["robots-agent"] == "mybot"


def test_the_setting_that_is_wrong_is_named_and_not_one_that_needs_another(tmp_path: Path) -> None:
    flags: dict[str, Any] = {"user_agent": "Mozilla/5.0 (X11)", "robots_agent": "mybot", "dns_server": ["nowhere"]}
    assert refusal(tmp_path, **flags).startswith("--dns-server: ")
    assert refusal(tmp_path, user_agent=flags["user_agent"]).startswith("--user-agent: ")


def test_a_bad_login_is_refused_without_repeating_the_password(tmp_path: Path) -> None:
    assert "hunter2" not in refusal(tmp_path, "auth = 'me:hunter2'")


def test_other_variables_of_the_environment_are_nobodys_business(tmp_path: Path) -> None:
    settings(tmp_path, "", {"HOME": "/", "_WEFT_COMPLETE": "x", "weft_delay": "x"})


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"operator = 'Andr\xe9'")
    for name in ("missing.toml", "latin.toml", "."):
        with pytest.raises(BadInput, match=name.replace(".", r"\.")):
            effective({}, tmp_path / name if name != "." else Path("."), {})


def test_the_file_is_the_named_one_else_the_one_here_else_the_users(tmp_path: Path) -> None:
    users = tmp_path / "weft" / "config.toml"
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert settings_file(None, environment) is None
    users.parent.mkdir()
    users.touch()
    assert settings_file(None, environment) == users
    assert settings_file(None, environment | {"WEFT_CONFIG": "other.toml"}) == Path("other.toml")
    assert settings_file(Path("named.toml"), environment | {"WEFT_CONFIG": "other.toml"}) == Path("named.toml")
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        Path("weft.toml").touch()
        assert settings_file(None, environment) == Path("weft.toml")
    finally:
        os.chdir(here)
