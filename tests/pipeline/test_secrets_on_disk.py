"""Passwords and cookies on the disk: out of the archive, and for nobody's eyes but the owner's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from warcio.archiveiterator import ArchiveIterator

from weft.pipeline.crawl import Crawl
from weft.simweb import SimWeb

from .crawling import CrawlFiles, is_clean_for_warcio, run
from .small_web import Sites as SmallSites
from .small_web import SmallWeb, page
from .test_secrets_on_the_wire import Sites, basic

HEADERS = [("authorization", "Bearer sesame"), ("Cookie", "a=sesame"), ("Proxy-Authorization", "sesame"), ("X-A", "1")]


@pytest.fixture(autouse=True)
def _usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def requests_in(folder: Path) -> list[list[bytes]]:
    """The lines of all requests that are archived."""
    found: list[list[bytes]] = []
    for path in CrawlFiles(folder).warcs:
        with path.open("rb") as file:
            requests = (one for one in ArchiveIterator(file, no_record_parse=True) if one.rec_type == "request")
            found += [request.content_stream().read().split(b"\r\n") for request in requests]
    return found


def test_archived_requests_do_not_tell_passwords_and_cookies(tmp_path: Path) -> None:
    sites, folder = Sites(), tmp_path / "crawl"
    sites.crawl(folder, headers=HEADERS)
    assert sites.told["127.0.0.1", "authorization"] == "Bearer sesame"
    requests = requests_in(folder)
    own = [lines for lines in requests if any(line.startswith(b"Host: 127.0.0.1") for line in lines)]
    assert own
    for lines in own:
        for header in (b"authorization: [removed]", b"Cookie: [removed]", b"Proxy-Authorization: [removed]", b"X-A: 1"):
            assert header in lines
    assert b"sesame" not in b"".join(path.read_bytes() for path in folder.rglob("*.jsonl"))
    assert [lines for lines in requests if b"sesame" in b"".join(lines)] == []
    assert is_clean_for_warcio(CrawlFiles(folder))  # lengths and digests are those of what was written


def test_logins_are_removed_too_and_may_be_archived_on_demand(tmp_path: Path) -> None:
    auth = [("127.0.0.1", "me:secret")]
    Sites().crawl(tmp_path / "without", auth=auth)
    assert any(b"Authorization: [removed]" in lines for lines in requests_in(tmp_path / "without"))
    Sites().crawl(tmp_path / "with", auth=auth, archive_secrets=True)
    told = f"Authorization: {basic('me:secret')}".encode()
    assert any(told in lines for lines in requests_in(tmp_path / "with"))
    assert mode_of(tmp_path / "without" / "archive") == 0o755
    assert mode_of(tmp_path / "with" / "archive") == 0o700


def test_cookies_that_servers_set_are_removed_from_requests(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> SmallSites:
        home = msgspec.structs.replace(page("/a"), headers=(("Set-Cookie", "a=sesame"),))
        return {("site.test", "/"): home, ("site.test", "/a"): page()}

    small = SmallWeb(("site.test",), sites)
    small.crawl(tmp_path / "crawl", "site.test", cookies=True)
    sent = [line for lines in requests_in(tmp_path / "crawl") for line in lines if line.startswith(b"Cookie")]
    assert sent == [b"Cookie: [removed]"]


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_only_its_owner_can_read_a_crawls_state(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    Sites().crawl(folder, headers=HEADERS)
    assert mode_of(folder) == 0o755
    assert mode_of(folder / "state") == 0o700
    assert {mode_of(folder / "state" / name) for name in ("config.json", "lock")} == {0o600}
    assert b"sesame" in (folder / "state" / "config.json").read_bytes()


def test_the_state_of_a_crawl_that_was_open_to_all_is_closed_when_it_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    Sites().crawl(folder, headers=HEADERS)
    (folder / "state").chmod(0o755)
    (folder / "state" / "config.json").chmod(0o644)
    (folder / "state" / "config.tmp").touch(0o644)
    run(Crawl.resume(folder))
    assert mode_of(folder / "state") == 0o700
    assert mode_of(folder / "state" / "config.json") == 0o600
