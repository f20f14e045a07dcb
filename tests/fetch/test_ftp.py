"""FTP against real servers: vsftpd, which lets anybody in and knows LIST only; ProFTPD, with a password and MLSD."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.ports import closed_port
from weft.clock import Clock
from weft.errors import FetchError
from weft.fetch import FetchConfig, Fetcher, MemoryBudget, Validators, release
from weft.parse import parse_html
from weft.types import Fetched
from weft.url import split

from . import servers
from .rig import run
from .servers import ADDRESS, PASSWORD, USER

MODIFIED = 1_700_000_000  # Tue, 14 Nov 2023 22:13:20 GMT
LARGE = bytes(range(256)) * 12_000
LOGIN = ((f"ftp://{ADDRESS}", f"{USER}:{PASSWORD}"),)
LOGIN_BY_HTTPS = ((ADDRESS, f"{USER}:{PASSWORD}"),)  # no seed says that it may go by FTP


class Server(NamedTuple):
    port: int
    settings: dict[str, Any]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the servers have."""
    root = tmp_path_factory.mktemp("files")
    (root / "a.txt").write_bytes(b"hello\n")
    (root / "empty").touch()
    (root / ".hidden").touch()
    (root / "large.bin").write_bytes(LARGE)
    (root / "ü ä#?%41.html").write_bytes(b"<p><a href=a.txt>x</a>")
    (root / "sub").mkdir()
    (root / "sub/page.html").write_bytes(b"<p><a href=../a.txt>x</a>")
    (root / "nothing in it").mkdir()
    (root / "link").symlink_to("sub")
    os.utime(root / "a.txt", (MODIFIED, MODIFIED))
    return root


@pytest.fixture(scope="module")
def vsftpd(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # It tells visitors to connect to where nobody is, and nobody may be connected to.
    lies = "pasv_address=127.255.255.255\ncmds_denied=EPSV\n"
    with servers.vsftpd(files, tmp_path_factory.mktemp("vsftpd"), settings=lies) as port:
        yield Server(port, {})


@pytest.fixture(scope="module")
def proftpd(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with servers.proftpd(files, tmp_path_factory.mktemp("proftpd")) as port:
        yield Server(port, {"auth": LOGIN})


@pytest.fixture(params=["vsftpd", "proftpd"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


class Asker:
    """Fetches paths from one server."""

    def __init__(self, fetcher: Fetcher, budget: MemoryBudget, port: int) -> None:
        self.fetcher = fetcher
        self.budget = budget
        self._port = port

    async def get(self, path: str, **options: Any) -> Fetched:
        url = f"ftp://{ADDRESS}:{self._port}{path}"
        return await self.fetcher.fetch(url, split(url), (ADDRESS,), **options)


@asynccontextmanager
async def asking(folder: Path, server: Server, **settings: Any) -> AsyncIterator[Asker]:
    budget = MemoryBudget()
    config = FetchConfig(**{"sweep_interval_s": 0.02, **server.settings, **settings})
    fetcher = Fetcher(config, budget, folder / "spool", Clock())
    try:
        yield Asker(fetcher, budget, server.port)
    finally:
        await fetcher.close()
        assert fetcher.statistics().open == 0


def test_a_file_comes_byte_for_byte_with_its_type_length_and_date(server: Server, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, server) as asker:
            fetched = await asker.get("/a.txt")
            assert (fetched.status, fetched.body, fetched.head) == (200, b"hello\n", b"")
            assert fetched.headers == (
                (b"content-type", b"text/plain"),
                (b"content-length", b"6"),
                (b"last-modified", b"Tue, 14 Nov 2023 22:13:20 GMT"),
            )
            assert fetched.address == ADDRESS
            assert b"\r\nRETR " in fetched.request
            assert PASSWORD.encode() not in fetched.request
            assert (await asker.get("/empty")).body == b""

    run(scenario())


def test_a_folder_is_a_page_that_leads_to_its_entries_and_names_survive(server: Server, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, server) as asker:
            fetched = await asker.get("/")
            assert fetched.status == 200
            assert fetched.media_type == "text/html"
            assert fetched.body is not None
            page = parse_html(fetched.body, fetched.url, "text/html; charset=utf-8")
            paths = [split(url).path for url, _, _ in page.leads(1, embeds=False, nofollow=True)]
            assert paths == [
                "/.hidden",
                "/a.txt",
                "/empty",
                "/large.bin",
                "/link",
                "/nothing%20in%20it/",
                "/sub/",
                "/%C3%BC%20%C3%A4%23%3F%2541.html",
            ]
            assert (await asker.get(paths[-1])).body == b"<p><a href=a.txt>x</a>"
            assert b"<li>" not in ((await asker.get(paths[5])).body or b"")

    run(scenario())


def test_list_and_mlsd_give_the_same_page(vsftpd: Server, proftpd: Server, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, vsftpd) as by_list, asking(tmp_path, proftpd) as by_mlsd:
            first, second = await by_list.get("/"), await by_mlsd.get("/")
            assert b"LIST -a\r\n" in first.request
            assert b"MLSD\r\n" in second.request
            assert first.body == second.body

    run(scenario())


@pytest.mark.parametrize("path", ["/sub", "/link", "/nothing%20in%20it"])
def test_a_folder_without_its_slash_redirects_to_itself_with_one(server: Server, path: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, server) as asker:
            fetched = await asker.get(path)
            assert (fetched.status, fetched.header(b"location")) == (301, f"{path}/".encode())
            assert (await asker.get(f"{path}/")).status == 200

    run(scenario())


@pytest.mark.parametrize("path", ["/none", "/none/", "/a.txt/", "/sub/none.html"])
def test_what_is_not_there_is_not_found_and_the_session_goes_on(server: Server, path: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, server) as asker:
            fetched = await asker.get(path)
            assert fetched.status == 404
            assert (fetched.body or b"").startswith(b"550 ")
            assert (await asker.get("/a.txt")).status == 200
            assert asker.fetcher.statistics().reused == 1

    run(scenario())


def test_one_login_serves_many_files(server: Server, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, server) as asker:
            said = [(await asker.get(path)).request for path in ("/a.txt", "/sub/", "/sub/page.html", "/")]
            assert [b"PASS" in talk for talk in said] == [True, False, False, False]
            assert asker.fetcher.statistics().idle == 1

    run(scenario())


def test_a_large_file_goes_to_a_spool_file_and_a_limit_cuts_it(server: Server, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, server) as asker:
            whole = await asker.get("/large.bin")
            assert whole.body is None
            assert whole.spool is not None
            assert Path(whole.spool).read_bytes() == LARGE
            assert asker.budget.used_bytes == 0
            release(whole, asker.budget)
            cut = await asker.get("/large.bin", max_body_bytes=1000)
            assert (cut.body, cut.truncated) == (LARGE[:1000], "length")
            release(cut, asker.budget)
            assert (await asker.get("/a.txt")).body == b"hello\n"

    run(scenario())


def test_a_file_that_has_not_changed_is_not_sent_again(server: Server, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, server) as asker:
            date = (await asker.get("/a.txt")).header(b"last-modified")
            assert date is not None
            fetched = await asker.get("/a.txt", validators=Validators(last_modified=date))
            assert (fetched.status, fetched.body) == (304, b"")
            assert b"RETR" not in fetched.request
            older = Validators(last_modified=b"Mon, 13 Nov 2023 22:13:20 GMT")
            assert (await asker.get("/a.txt", validators=older)).status == 200

    run(scenario())


def test_data_connections_go_to_the_vetted_address_whatever_the_server_says(vsftpd: Server, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, vsftpd) as asker:
            fetched = await asker.get("/a.txt")
            assert b"(127,255,255,255," in fetched.request
            assert fetched.body == b"hello\n"

    run(scenario())


def test_names_that_are_not_utf_8_lead_back_to_their_files(vsftpd: Server, files: Path, tmp_path: Path) -> None:
    latin = os.fsencode(files) + b"/sub/\xe9t\xe9.txt"

    async def scenario() -> None:
        async with asking(tmp_path, vsftpd) as asker:
            assert b'href="%E9t%E9.txt">' in ((await asker.get("/sub/")).body or b"")
            assert (await asker.get("/sub/%E9t%E9.txt")).body == b"latin"

    with open(latin, "wb") as file:
        file.write(b"latin")
    try:
        run(scenario())
    finally:
        os.unlink(latin)


@pytest.mark.parametrize("auth", [(), LOGIN_BY_HTTPS, ((f"ftp://{ADDRESS}", f"{USER}:wrong"),)])
def test_who_is_not_let_in_gets_401(proftpd: Server, auth: tuple[tuple[str, str], ...], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, proftpd, auth=auth) as asker:
            fetched = await asker.get("/a.txt")
            assert fetched.status == 401
            assert b"wrong" not in fetched.request
            assert asker.fetcher.statistics().idle == 0

    run(scenario())


def test_a_server_with_too_many_visitors_is_asked_later(files: Path, tmp_path: Path) -> None:
    async def scenario(port: int) -> None:
        server = Server(port, {})
        async with asking(tmp_path, server) as first, asking(tmp_path, server) as second:
            # Whoever looked if the server listens is still leaving.
            while (await first.get("/a.txt")).status == 503:  # noqa: ASYNC110  (the server tells nobody)
                await asyncio.sleep(0.01)
            assert (await second.get("/a.txt")).status == 503
            assert (await first.get("/a.txt")).status == 200

    with servers.vsftpd(files, tmp_path, settings="max_clients=1\n") as port:
        run(scenario(port))


def test_nobody_listens_is_a_refused_connection(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asking(tmp_path, Server(closed_port(), {})) as asker:
            with pytest.raises(FetchError, match="connect-refused"):
                await asker.get("/a.txt")

    run(scenario())
