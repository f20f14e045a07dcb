"""Settings by host on the command line: `weft config --host`, `--hosts`, and mistakes with their places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from weft.api.patterns import doubtful_hosts
from weft.cli.sources import effective
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.settings.host_tables import read_hosts

from .running import Finished, assert_is_one_sentence

TOML = """\
delay = 2
exclude = ["/plain/*"]
header = ["X-All: 1", "www.example.org=X-Own: 1"]

[host."*.Example.org"]
delay = 5
auth = "me:hunter2"

[host."www.example.org"]
user_agent = "own/1.0"
header = ["Cookie: hunter2", "X-A: 1"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "weft.toml").write_text(TOML)
    return tmp_path


def host_config(folder: Path, host: str, *flags: str) -> dict[str, Any]:
    done = Finished("config", "--json", "--host", host, *flags, cwd=folder)
    assert done.code == 0, done.errors
    assert "hunter2" not in done.out
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def test_what_holds_for_a_host_is_shown_with_file_line_and_table(folder: Path) -> None:
    found = host_config(folder, "http://WWW.example.org:8080/x", "--ignore-robots")
    table = {"source": "file", "name": "weft.toml", "table": "*.example.org"}
    own = {"source": "file", "name": "weft.toml", "table": "www.example.org"}
    assert found == {
        "include": {"value": [], "source": "default"},
        "exclude": {"value": ["/plain/*"], "source": "file", "name": "weft.toml", "line": 2},
        "user-agent": {"value": "own/1.0", **own, "line": 10},
        "robots-agent": {"value": "", "source": "default"},
        "delay": {"value": 5.0, **table, "line": 6},
        "connections-per-host": {"value": 1, "source": "default"},
        "ignore-robots": {"value": True, "source": "flag", "name": "--ignore-robots"},
        "header": {"value": ["Cookie: …", "X-A: 1", "www.example.org=X-Own: …"], **own, "line": 11},
        "auth": {"value": ["www.example.org=me:…"], **table, "line": 7},
    }
    other = host_config(folder, "other.test")
    assert other["delay"] == {"value": 2.0, "source": "file", "name": "weft.toml", "line": 1}
    assert other["header"]["value"] == ["X-All: 1"]


def test_a_person_reads_a_line_a_setting_of_a_host(folder: Path) -> None:
    done = Finished("config", "--host", "a.example.org", cwd=folder)
    assert done.code == 0, done.errors
    lines = [line.split() for line in done.out.splitlines()]
    assert ["delay", "5.0", "file", "weft.toml,", "line", "6,", '[host."*.example.org"]'] in lines
    assert ["user-agent", "-", "default"] in lines
    assert "hunter2" not in done.out


def test_tables_are_shown_among_all_settings_without_passwords(folder: Path) -> None:
    done = Finished("config", "--json", cwd=folder)
    assert json.loads(done.out)["hosts"] == {
        "value": {
            "*.example.org": {"delay": 5.0, "auth": "me:…"},
            "www.example.org": {"user-agent": "own/1.0", "header": ["Cookie: …", "X-A: 1"]},
        },
        "source": "file",
        "name": "weft.toml",
    }
    done = Finished("config", cwd=folder)
    assert "*.example.org | www.example.org" in done.out
    assert "hunter2" not in done.out


def test_a_host_that_is_none_is_refused(folder: Path) -> None:
    for host in ("*.example.org", "a b", "a:80"):
        done = Finished("config", "--host", host, cwd=folder)
        assert done.code == 2
        assert_is_one_sentence(done)
        assert done.errors.startswith(f"weft: --host: {host!r}")


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('delay = 1\n[host."a.test"]\ndealy = 2\n', ", line 3: [host.\"a.test\"]: unknown key 'dealy'"),
        ('[host."a.test:80"]\ndelay = 2\n', ', line 1: [host."a.test:80"]: a host has one table'),
        ('[host."a.test"]\nexclude = "re:("\n', ": [host.\"a.test\"] 'exclude': the pattern 're:(' is no regular"),
        ('[host."a.test"]\nheader = "Host: b"\n', ": [host.\"a.test\"] 'header': 'Host' cannot be set"),
        ('[host."a.test"]\nuser-agent = "Mozilla/5.0"\n', ": [host.\"a.test\"] 'user-agent': robots.txt cannot"),
        ("host = 5\n", ', line 1: settings by host are tables, as [host."*.example.org"]'),
        ('hosts = "other.toml"\n[host."a.test"]\n', ": 'hosts': cannot read other.toml"),
    ],
)
def test_a_mistake_is_told_with_file_table_and_key(toml: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "weft.toml").write_text(toml)
    done = Finished("crawl", "http://127.0.0.1:9/", cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert f"weft.toml{words}" in done.errors.replace(", line 1: 'hosts'", ": 'hosts'"), done.errors


def test_a_file_and_tables_are_not_taken_both(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('[host."b.test"]\ndelay = 1\n')
    file = tmp_path / "weft.toml"
    file.write_text(f'hosts = "{tmp_path / "other.toml"}"\n[host."a.test"]\n')
    with pytest.raises(BadInput, match="'hosts' is there twice"):
        effective({}, file, {})


def test_a_flag_names_the_file_whose_tables_take_the_place_of_all_others(folder: Path) -> None:
    (folder / "other.toml").write_text('depth = 1\n[host."*"]\ndelay = 9\n')
    found = host_config(folder, "www.example.org", "--hosts", "other.toml")
    assert found["delay"] == {"value": 9.0, "source": "flag", "name": "--hosts", "table": "*"}
    assert found["user-agent"] == {"value": "", "source": "default"}
    assert host_config(folder, "www.example.org", "--hosts", "none")["delay"]["value"] == 2.0


def test_tables_reach_the_crawl_are_kept_and_changed_on_resume(folder: Path) -> None:
    (folder / "weft.toml").write_text('[host."127.0.0.1"]\ndelay = 5\nauth = "me:hunter2"\n')
    stored = folder / "crawl-127.0.0.1" / "state" / "config.json"

    def kept() -> Any:
        return json.loads(stored.read_text())["config"]["hosts"]

    done = Finished("crawl", "http://127.0.0.1:9/", "--quiet", cwd=folder)
    assert done.code == 4  # a private address
    assert kept() == [{"pattern": "127.0.0.1", "delay_s": 5.0, "auth": "me:hunter2"}]
    Finished("resume", "crawl-127.0.0.1", "--quiet", cwd=folder)
    assert kept() == [{"pattern": "127.0.0.1", "delay_s": 5.0, "auth": "me:hunter2"}]
    (folder / "weft.toml").write_text('[host."*"]\ndelay = 7\n')
    Finished("resume", "crawl-127.0.0.1", "--hosts", "weft.toml", "--quiet", cwd=folder)
    assert kept() == [{"pattern": "*", "delay_s": 7.0}]
    Finished("resume", "crawl-127.0.0.1", "--hosts", "none", "--quiet", cwd=folder)
    assert kept() == []


def test_a_table_that_can_mean_no_host_of_the_crawl_is_doubted() -> None:
    def doubted(*patterns: str, **settings: Any) -> list[str]:
        hosts = read_hosts({one: {"delay": 1} for one in patterns}, "x")
        config = CrawlConfig(seeds=("https://www.example.org/",), hosts=hosts, **settings)
        return [one.partition('"]')[0].removeprefix('[host."') for one in doubtful_hosts(config)]

    assert doubted("*", "*.example.org", "shop.example.org", "*.org", "*.www.example.org") == []
    assert doubted("*.example.com", "example.net", "org", "10.0.0.1") == [
        "*.example.com",
        "example.net",
        "org",
        "10.0.0.1",
    ]
    assert doubted("example.net", scope="any") == doubted("example.net", requisites_anywhere=True) == []
    assert len(doubted(*(f"h{n}.test" for n in range(100)))) == 5
