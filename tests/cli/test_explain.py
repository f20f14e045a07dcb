"""`weft explain`: plain lines and JSON, crawls that run or were killed, mirrors, and what cannot be explained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.graph.crawls import HOME, make_crawl
from tests.pipeline.live_site import html, links, served
from tests.scratch import scratch_folder
from weft.config import CrawlConfig
from weft.folder.layout import CrawlFolder, database_of
from weft.simweb import SimProcess, WebSpec
from weft.state import State
from weft.types import Link
from weft.url import url_id

from .running import Finished, assert_is_one_sentence, running_crawl

HOSTILE = "evil\x1b[2Jtitle\u202e\x9b31m"


@pytest.fixture(scope="module")
def crawled() -> Iterator[tuple[Path, str]]:
    """Where the folder `crawl` is, and the site's origin."""
    with scratch_folder() as folder, served(lambda path, _: html(links("/page", "/x\x1b[2J"), HOSTILE)) as site:
        site.crawl(folder / "crawl", graph=True)
        yield folder, site.origin


def test_the_answer_comes_first_and_then_what_is_known_beside_it(crawled: tuple[Path, str]) -> None:
    cwd, origin = crawled
    done = Finished("explain", f"{origin}/page#x", "--crawl", "crawl", cwd=cwd)
    assert (done.code, done.errors) == (0, "")
    url, answer, *facts = done.out.splitlines()
    assert url == f"{origin}/page"
    assert answer.startswith("visited at ")
    assert [line.split()[0] for line in facts if line[2] != " "] == [
        "canonical", "found", "depth", "linked", "answer", "title", "address", "archive",
    ]  # fmt: skip


def test_the_json_has_all_of_it(crawled: tuple[Path, str]) -> None:
    cwd, origin = crawled
    done = Finished("explain", f"{origin}/page", "--crawl", "crawl", "--json", cwd=cwd)
    assert (done.code, done.errors) == (0, "")
    found = json.loads(done.out)
    assert (found["url"], found["state"], found["visited"]["status"]) == (f"{origin}/page", "visited", 200)
    assert found["linked"]["pages"]


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_what_a_server_wrote_moves_no_cursor(flags: tuple[str, ...], crawled: tuple[Path, str]) -> None:
    cwd, origin = crawled
    for url in (f"{origin}/page", f"{origin}/x%1B[2J", f"{origin}/x\x1b[2J\u202e", "127.0.0.1"):
        done = Finished("explain", url, "--crawl", "crawl", *flags, cwd=cwd)
        assert done.code == 0
        assert all(char.isprintable() for char in done.out.replace("\n", ""))


def test_a_host_is_told_of_by_its_name(crawled: tuple[Path, str]) -> None:
    cwd, _ = crawled
    done = Finished("explain", "127.0.0.1", "--crawl", "crawl", cwd=cwd)
    assert done.out.splitlines()[0] == "127.0.0.1"
    assert " visited, 0 failed; nothing of it waits" in done.out.splitlines()[1]


def test_a_crawl_is_explained_while_it_runs_and_after_it_was_killed(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=4, pages=2000, latency_ms=(10, 20))) as sim:
        with running_crawl(sim, tmp_path) as process:
            running = Finished("explain", sim.seeds[0], "--crawl", "crawl", "--json", cwd=tmp_path)
            assert process.poll() is None
            queued = queued_url(tmp_path / "crawl")
        killed = Finished("explain", sim.seeds[0], "--crawl", "crawl", "--json", cwd=tmp_path)
        waits = Finished("explain", queued, "--crawl", "crawl", cwd=tmp_path)
    assert [json.loads(done.out)["is_seed"] for done in (running, killed)] == [True, True]
    assert waits.out.startswith(f"{queued}\n")
    assert "nobody works on the crawl now" in waits.out or "visited at" in waits.out


def queued_url(folder: Path) -> str:
    """The last URL that waits."""
    state = State(database_of(folder), is_read_only=True)
    try:
        *_, (_, row) = state.scan("queue")
        return msgspec.msgpack.decode(row, type=Link).url
    finally:
        state.close()


def test_of_what_waits_in_a_killed_crawl_the_command_is_told_that_goes_on(tmp_path: Path) -> None:
    make_crawl(tmp_path / "crawl")
    make_seen(tmp_path / "crawl", f"{HOME}waits")
    done = Finished("explain", f"{HOME}waits", "--crawl", "crawl", cwd=tmp_path)
    assert "waiting in the queue: nobody works on the crawl now; `weft resume crawl` goes on with it" in done.out


def make_seen(folder: Path, url: str) -> None:
    state = State(database_of(folder))
    batch = state.batch()
    batch.put("seen", url_id(url), (1).to_bytes(4, "big"))
    state.write(batch)
    state.close()


def test_folders_of_one_clusters_nodes_are_read_together(tmp_path: Path) -> None:
    web = {HOME: [f"{HOME}1"], "http://b.test/": [f"{HOME}1"]}
    make_crawl(tmp_path / "one", {HOME: web[HOME]}, node="one")
    make_crawl(tmp_path / "two", {"http://b.test/": web["http://b.test/"]}, node="two")
    both = ("--crawl", "one", "--crawl", "two", "--json")
    found = json.loads(Finished("explain", f"{HOME}1", *both, cwd=tmp_path).out)
    assert sorted(found["linked"]["pages"]) == [HOME, "http://b.test/"]
    assert json.loads(Finished("explain", "http://b.test/", *both, cwd=tmp_path).out)["state"] == "visited"


def test_a_mirror_is_explained_as_a_crawl_is(tmp_path: Path) -> None:
    with served(lambda path, _: html(links("/page"))) as site:
        flags = ("--delay", "0", "--allow-private", "--workers", "1", "--quiet")
        assert Finished("mirror", f"{site.origin}/", "-o", "site", *flags, cwd=tmp_path).code == 0
        done = Finished("explain", f"{site.origin}/page", "--crawl", "site", "--json", cwd=tmp_path)
    assert json.loads(done.out)["state"] == "visited"


def make_newer(cwd: Path) -> None:
    folder = CrawlFolder(cwd / "newer", must_exist=False)
    folder.save_config(CrawlConfig(seeds=(HOME,)))
    folder.close()
    config = cwd / "newer" / "state" / "config.json"
    config.write_text(config.read_text().replace('"format": 3', '"format": 4'))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("http://a.test/", "--crawl", "nowhere"), 6, "there is no folder nowhere"),
        (("http://a.test/", "--crawl", "."), 6, "is not a crawl folder"),
        (("http://a.test/", "--crawl", "newer"), 6, "was made by another version of weft (format 4"),
        (("http://a.test/", "--crawl", "unbegun"), 6, "there is no database in unbegun/state/db"),
        (("a.test/x", "--crawl", "."), 2, "is neither a URL"),
        (("gopher://a.test/", "--crawl", "."), 2, "is not an http, https or ftp URL"),
        (("http://a.test/",), 2, "--crawl is missing"),
        (("--crawl", "."), 2, "URL is missing"),
        (("http://a.test/", "--crawls", "."), 2, "did you mean --crawl?"),
    ],
)
def test_what_cannot_be_explained_gets_a_sentence(
    arguments: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    make_newer(tmp_path)
    folder = CrawlFolder(tmp_path / "unbegun", must_exist=False)
    folder.save_config(CrawlConfig(seeds=(HOME,)))
    folder.close()
    done = Finished("explain", *arguments, cwd=tmp_path)
    assert (done.code, said in done.errors) == (code, True), done.errors
    assert_is_one_sentence(done)
