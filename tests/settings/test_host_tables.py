"""Tables of settings by host, as files and programs have them; a mistake is told with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.config import HostTable
from weft.errors import BadInput
from weft.settings.host_tables import MAX_TABLES, pattern_of, read_hosts
from weft.settings.toml_lines import lines_in


def refusal(given: object) -> str:
    with pytest.raises(BadInput) as caught:
        read_hosts(given, "the setting hosts")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_keys_are_those_of_the_settings_with_a_hyphen_or_an_underscore() -> None:
    assert read_hosts(
        {
            "*.Example.ORG": {
                "delay": "500ms",
                "connections-per-host": 2,
                "user_agent": "bot/1.0",
                "robots-agent": "bot",
                "header": {"X-A": "1"},
                "auth": "me:pass:word",
                "include": "/a/*",
                "exclude": ["/b/*", "re:x"],
                "ignore_robots": True,
            }
        },
        "x",
    ) == (
        HostTable(
            pattern="*.example.org",
            delay_s=0.5,
            connections_per_host=2,
            user_agent="bot/1.0",
            robots_agent="bot",
            headers=(("X-A", "1"),),
            auth="me:pass:word",
            include=("/a/*",),
            exclude=("/b/*", "re:x"),
            ignore_robots=True,
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        ("EXAMPLE.org", "example.org"),
        ("*.EXAMPLE.org.", "*.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("*.Bücher.example", "*.xn--bcher-kva.example"),
        ("127.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("0:0::1", "::1"),
        ("*", "*"),
        ("localhost", "localhost"),
    ],
)
def test_a_pattern_is_compared_in_one_spelling(written: str, pattern: str) -> None:
    assert pattern_of(written) == pattern


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"a.test": {"dealy": 1}}, ['[host."a.test"]', "unknown key 'dealy'", "'delay'"]),
        ({"a.test": {"connections": 1}}, ["'connections' holds for the whole crawl", "connections-per-host"]),
        ({"a.test": {"delay": "soon"}}, ["[host.\"a.test\"] 'delay' must be a number of at least 0", "'soon'"]),
        ({"a.test": {"delay": -1}}, ["'delay'", "at least 0"]),
        ({"a.test": {"connections_per_host": 0}}, ["'connections_per_host'", "at least 1"]),
        ({"a.test": {"ignore-robots": "yes"}}, ["'ignore-robots'", "true or false"]),
        ({"a.test": {"header": "nonsense"}}, ["'header'", "'Name: value'"]),
        ({"a.test": {"header": "b.test=X: y"}}, ["'header'", "without a host"]),
        ({"a.test": {"auth": "hunter2"}}, ["'auth'", "user:password"]),
        ({"a.test": {"auth": ["me", "hunter2"]}}, ["'auth'", "must be a text"]),
        ({"a.test": {"include": [1]}}, ["'include'", "a list of texts"]),
        ({"a.test": {"user-agent": "x", "user_agent": "y"}}, ["'user-agent' is there twice"]),
        ({"a.test": {"delay": 1}, "A.test": {"delay": 2}}, ['[host."A.test"] is there twice', "a.test"]),
        ({"a.test:8080": {}}, ['[host."a.test:8080"]', "all its ports"]),
        ({"http://a.test": {}}, ["not the name of a host"]),
        ({"a.*.test": {}}, ["a * stands alone, or first"]),
        ({"*a.test": {}}, ["a * stands alone, or first"]),
        ({"*.0.0.1": {}}, ["is an address"]),
        ({"": {}}, ["not the name of a host"]),
        ({".": {}}, ["not the name of a host"]),
        ({"a b": {}}, ["not the name of a host"]),
        ({"me@a.test": {}}, ["not the name of a host"]),
        ({"a.test": 5}, ["are tables"]),
        ([1], ["are tables"]),
        ({5: {}}, ["must be a text"]),
        ({"*": {"auth": "me:hunter2"}}, ["hosts of many owners"]),
        ({"*.co.uk": {"auth": "me:hunter2"}}, ["hosts of many owners"]),
        ({"*.github.io": {"header": "cookie: hunter2"}}, ["hosts of many owners"]),
    ],
)
def test_a_mistake_is_told_in_one_sentence_with_table_and_key(given: Any, words: list[str]) -> None:
    said = refusal(given)
    assert said.startswith("the setting hosts")
    assert all(word in said for word in words), said
    assert "hunter2" not in said


def test_there_are_bounds() -> None:
    assert len(read_hosts({f"h{n}.test": {"delay": n} for n in range(MAX_TABLES)}, "x")) == MAX_TABLES
    assert "10,001 tables" in refusal({f"h{n}.test": {} for n in range(MAX_TABLES + 1)})


def test_a_file_is_read_for_its_tables_alone(tmp_path: Path) -> None:
    file = tmp_path / "weft.toml"
    file.write_text('depth = 3\nnonsense = 5\n[host."*.a.test"]\ndelay = 5\n')
    assert read_hosts(str(file), "--hosts") == (HostTable(pattern="*.a.test", delay_s=5.0),)
    file.write_text("depth = 3\n")
    assert "has no [host] tables" in refusal(str(file))
    assert read_hosts("none", "--hosts") == ()
    file.write_text("depth =")
    assert "is not a TOML file" in refusal(str(file))
    assert "cannot read" in refusal(str(tmp_path / "missing.toml"))


def test_a_mistake_in_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "weft.toml"
    file.write_text('# mine\n[host."*.a.test"]\ndelay = 5\n\n[host.\'b.test\']\n  user-agent = "x"\n  delay = "soon"\n')
    assert refusal(str(file)).startswith(f"{file}, line 7: [host.\"b.test\"] 'delay' must be a number")


@given(st.dictionaries(st.text(max_size=12), st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=5))))
def test_whatever_is_given_is_taken_or_refused_in_words(given: dict[str, Any]) -> None:
    said = "x: "
    try:
        read_hosts(given, "x")
    except BadInput as error:
        said = str(error)
    assert said.startswith("x: ")


def test_lines_are_found_as_people_write_toml() -> None:
    text = 'a = 1\n"b c" = 2\n[host."*.x.test"]  # one\nc-d = [\n  1,\n]\n[ host . y ]\ne.f = 3\n[[many]]\ng = 4\n'
    assert lines_in(text) == {
        ("a",): 1,
        ("b c",): 2,
        ("host", "*.x.test"): 3,
        ("host", "*.x.test", "c-d"): 4,
        ("host", "y"): 7,
        ("host", "y", "e", "f"): 8,
        ("host", "y", "g"): 10,  # of no table that weft knows: told wrongly at worst
    }
