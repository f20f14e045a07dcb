"""Commands as a person writes them: in their canonical form, or refused with a sentence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from weft.config import CrawlConfig
from weft.errors import BadInput, FolderError
from weft.live.commands import (
    AddSeeds,
    Block,
    Command,
    Exclude,
    Pause,
    SetDelay,
    SetRate,
    Unblock,
    checked,
    in_words,
)
from weft.live.mailbox import MOST_BYTES, MOST_WAITING, put_command, waiting_commands
from weft.pipeline.crawl import Crawl


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Crawl.create(tmp_path / "crawl", CrawlConfig(seeds=("http://a.test/",))).folder.close()
    return tmp_path / "crawl"


@pytest.mark.parametrize(
    "command",
    [
        SetRate(0.0), SetRate(-1.0), SetRate(float("nan")), SetRate(float("inf")),
        SetDelay("a.test", -1.0), SetDelay("a.test", float("nan")), SetDelay("", 1.0),
        Block("a/b"), Block("a b"), Block("user@a.test"), Block("a.test?x"), Block(""), Unblock("http://a.test/"),
        AddSeeds([]), AddSeeds(["not a url"]), AddSeeds(["http://ok.test/", "mailto:x@y"]),
        Exclude(""), Exclude("re:("), Exclude("re:a{1,4294967296}"), Exclude("re:" + 5_000 * "(" + 5_000 * ")"),
        Exclude(" "), Exclude("status:404"), Exclude("type:image"), Exclude("/a/* size>10x"), Exclude("size > 10M"),
    ],
)  # fmt: skip
def test_what_no_crawl_could_do_is_refused_before_it_is_written(command: Command, folder: Path) -> None:
    with pytest.raises(BadInput):
        put_command(folder, command)
    assert not list(waiting_commands(folder))


def test_a_pattern_is_refused_where_the_crawl_has_rules_that_bear_none(tmp_path: Path) -> None:
    Crawl.create(tmp_path / "crawl", CrawlConfig(seeds=("http://a.test/",), rules=("+*",))).folder.close()
    with pytest.raises(BadInput, match="--rule says in order"):
        put_command(tmp_path / "crawl", Exclude("/x"))


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("A.Test", "a.test"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("a.test:8080", "a.test"),
    ],
)
def test_a_host_is_meant_however_it_is_written(name: str, host: str) -> None:
    assert checked(Block(name)) == Block(host)
    assert checked(SetDelay(name, 2.0)) == SetDelay(host, 2.0)


def test_commands_are_taken_in_the_order_in_which_they_were_given(folder: Path) -> None:
    given: list[Command] = [SetRate(float(n)) for n in range(1, 20)]
    for command in given:
        put_command(folder, command)
    assert [letter.command for letter in waiting_commands(folder)] == given


def test_no_more_commands_wait_than_a_crawl_could_take(folder: Path) -> None:
    box = folder / "state" / "commands"
    put_command(folder, Pause())
    for number in range(MOST_WAITING - 1):
        (box / f"{number}.json").touch()
    with pytest.raises(BadInput, match="does not take them"):
        put_command(folder, Pause())


def test_a_login_in_a_seed_is_in_no_words() -> None:
    assert "secret" not in in_words(AddSeeds(["http://user:secret@a.test/"]))


def test_a_part_of_a_clusters_crawl_is_steered_by_the_cluster(folder: Path) -> None:
    (folder / "state" / "node.json").write_text('{"crawl":"big","crawl_id":"1","node":"n1","folder":"f"}')
    with pytest.raises(FolderError, match="weft cluster"):
        put_command(folder, Pause())


DEEP = b'{"type":"pause","x":' + 100_000 * b"[" + 100_000 * b"]" + b"}"


@pytest.mark.parametrize(
    "text",
    [
        b"", b"null", b"[]", b'{"type":5}', DEEP, b'{"type":"block","host":"\xff\xfe"}',
        b'{"type":"block","host":"\\ud800.test"}', b'{"type":"rate","pages_per_s":NaN}',
        b'{"type":"rate","pages_per_s":1e999}', b'{"type":"seeds","urls":"http://a.test/"}',
        json.dumps({"type": "exclude", "pattern": "re:a{1,4294967296}"}).encode(), b" " * (MOST_BYTES + 1),
    ],
)  # fmt: skip
def test_a_file_that_no_crawl_could_have_written_is_no_command(text: bytes, folder: Path) -> None:
    put_command(folder, Pause())
    (folder / "state" / "commands" / "0.json").write_bytes(text)
    assert [letter.command for letter in waiting_commands(folder)] == [None, Pause()]


def test_what_is_no_file_keeps_no_command_back(folder: Path) -> None:
    put_command(folder, Pause())
    box = folder / "state" / "commands"
    (box / "0.json").mkdir()
    os.mkfifo(box / "1.json")
    (box / "2.json").symlink_to("/dev/zero")
    assert [letter.command for letter in waiting_commands(folder)] == [Pause()]


def test_a_command_that_is_too_large_to_be_read_is_refused(folder: Path) -> None:
    with pytest.raises(BadInput, match="give it in several"):
        put_command(folder, AddSeeds([f"http://a.test/{number}" for number in range(100_000)]))
    assert not list(waiting_commands(folder))


def test_a_delay_by_which_a_host_would_be_left_is_refused(folder: Path) -> None:
    longest_s = CrawlConfig(seeds=("http://a.test/",)).max_host_wait_s
    put_command(folder, SetDelay("a.test", longest_s))
    with pytest.raises(BadInput, match="--max-host-wait"):
        put_command(folder, SetDelay("a.test", longest_s + 1))


def test_where_no_command_can_be_written_it_is_told_in_words(folder: Path) -> None:
    (folder / "state" / "commands").touch()
    with pytest.raises(FolderError, match="cannot write"):
        put_command(folder, Pause())
