"""`weft config`: what holds, and who said so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from weft.cli.settings import SETTINGS

from .running import Finished, assert_is_one_sentence


def config(tmp_path: Path, *flags: str, **environment: str) -> dict[str, Any]:
    done = Finished("config", "--json", *flags, cwd=tmp_path, environment=environment)
    assert done.code == 0, done.errors
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def test_each_setting_is_shown_with_its_value_and_its_source(tmp_path: Path) -> None:
    (tmp_path / "weft.toml").write_text("delay = 2\nmax-pages = 10\nexclude = ['/a', '/b']\n")
    found = config(tmp_path, "--depth", "3", "--sitemap", WEFT_USER_AGENT="mybot", WEFT_MAX_PAGES="20")
    assert found["delay"] == {"value": 2.0, "source": "file", "name": "weft.toml"}
    assert found["exclude"] == {"value": ["/a", "/b"], "source": "file", "name": "weft.toml"}
    assert found["max-pages"] == {"value": 20, "source": "environment", "name": "WEFT_MAX_PAGES"}
    assert found["user-agent"] == {"value": "mybot", "source": "environment", "name": "WEFT_USER_AGENT"}
    assert found["depth"] == {"value": 3, "source": "flag", "name": "--depth"}
    assert found["sitemap"] == {"value": True, "source": "flag", "name": "--sitemap"}
    assert found["scope"] == {"value": "host", "source": "default"}
    assert found.keys() == {setting.name for setting in SETTINGS}


def test_a_person_reads_a_line_a_setting(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("delay = 2\n")
    done = Finished("config", "--config", "mine.toml", "--quiet", cwd=tmp_path)
    assert (done.code, done.errors) == (0, "")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["delay", "2.0", "file", "mine.toml"] in lines
    assert ["quiet", "true", "flag", "--quiet"] in lines
    assert ["output", "crawl-HOST", "default"] in lines


def test_passwords_are_not_shown(tmp_path: Path) -> None:
    flags = ["--auth", "a.test=me:hunter2", "--proxy", "http://me:hunter2@127.0.0.1:1", "--header", "Cookie: hunter2"]
    for more in ([], ["--json"]):
        done = Finished("config", *flags, *more, cwd=tmp_path)
        assert done.code == 0, done.errors
        assert "a.test=me:…" in done.out
        assert "hunter2" not in done.out


def test_a_file_named_by_the_environment_is_read(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("depth = 5\n")
    found = config(tmp_path, WEFT_CONFIG="other.toml")
    assert found["depth"] == {"value": 5, "source": "file", "name": "other.toml"}


def test_an_unknown_key_is_refused_with_file_nearest_key_and_code_2(tmp_path: Path) -> None:
    (tmp_path / "weft.toml").write_text("dealy = 2\n")
    for command in (["config"], ["crawl", "http://127.0.0.1:9/"]):
        done = Finished(*command, cwd=tmp_path)
        assert done.code == 2
        assert_is_one_sentence(done)
        assert "weft.toml, line 1: unknown key 'dealy'; the nearest known key is 'delay'" in done.errors


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--order", "foo"),
        ("--robots-agent", "a b"),
        ("--exclude", "re:("),
        ("--dns-server", "no-address"),
        ("--ca-file", "missing.pem"),
    ],
)
def test_a_flag_that_no_crawl_could_use_is_refused_by_its_name_with_code_2(
    flag: str, value: str, tmp_path: Path
) -> None:
    for command in (["config"], ["crawl", "http://127.0.0.1:9/"]):
        done = Finished(*command, flag, value, cwd=tmp_path)
        assert done.code == 2
        assert_is_one_sentence(done)
        assert done.errors.startswith(f"weft: {flag}: ")
        assert value in done.errors
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_variable_is_refused_with_the_nearest_one_and_code_2(tmp_path: Path) -> None:
    done = Finished("crawl", "http://127.0.0.1:9/", cwd=tmp_path, environment={"WEFT_MAX_PAGE": "3"})
    assert done.code == 2
    assert_is_one_sentence(done)
    assert "WEFT_MAX_PAGES" in done.errors


def test_a_crawl_obeys_its_settings_file(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://127.0.0.1:9/\n")
    (tmp_path / "weft.toml").write_text('seeds = "seeds.txt"\noutput = "here"\njson = true\nquiet = true\ndepth = 7\n')
    done = Finished("crawl", cwd=tmp_path, environment={"WEFT_DELAY": "0.5"})
    assert done.code == 4  # a private address
    assert done.summary()["failed"] == {"private-address": 1}
    stored = json.loads((tmp_path / "here" / "state" / "config.json").read_text())["config"]
    assert (stored["depth"], stored["delay_s"]) == (7, 0.5)


def test_a_value_that_is_longer_than_its_column_has_its_source_below_in_the_column_of_sources(tmp_path: Path) -> None:
    agent = "mybot/1.0 (+https://example.org/bot)"
    done = Finished("config", "--user-agent", agent, "--delay", "2", cwd=tmp_path)
    lines = done.out.splitlines()
    (at,) = [number for number, line in enumerate(lines) if agent in line]
    assert lines[at].split() == ["user-agent", *agent.split()]
    (delay,) = [line for line in lines if line.startswith("  delay ")]
    assert lines[at + 1].strip() == "flag --user-agent"
    assert lines[at + 1].index("flag") == delay.index("flag")
