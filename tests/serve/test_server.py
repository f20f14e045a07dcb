"""The server as a client sees it."""

from __future__ import annotations

import http.client
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.pack.trees import write_tree
from weft.errors import BadInput
from weft.serve import MirrorServer, Site
from weft.serve.answer import is_own_host

MEDIA = bytes(range(256)) * 40
FILES = {
    "h/index.html": b"<meta charset=koi8-r>",
    "h/a.css": b"p{}",
    "h/a.js": b"1",
    "h/a.svg": b"<svg/>",
    "h/a.svgz": b"\x1f\x8bx",
    "h/a.woff2": b"",
    "h/a.mp4": MEDIA,
    "h/a.txt": b"text",
    "h/none": b"?",
    "h/é.html": b"e",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MirrorServer]:
    folder = write_tree(tmp_path_factory.mktemp("serve") / "mirror", FILES)
    with running(folder) as server:
        yield server


@contextmanager
def running(folder: Path) -> Iterator[MirrorServer]:
    """A server of a folder, in a thread."""
    with MirrorServer(Site(folder)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(10)


class Client:
    """One connection, kept."""

    def __init__(self, server: MirrorServer) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, path, headers=named)
        answer = self._connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def client(server: MirrorServer) -> Iterator[Client]:
    one = Client(server)
    yield one
    one.close()


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/h/index.html", "text/html"),
        ("/h/", "text/html"),
        ("/h/a.css", "text/css"),
        ("/h/a.js", "text/javascript"),
        ("/h/a.svg", "image/svg+xml"),
        ("/h/a.woff2", "font/woff2"),
        ("/h/a.mp4", "video/mp4"),
        ("/h/a.txt", "text/plain"),
        ("/h/%C3%A9.html", "text/html"),
        ("/h/none", None),
    ],
)
def test_types_go_by_the_extension_and_name_no_charset(path: str, media_type: str | None, client: Client) -> None:
    status, headers, _ = client.ask(path)
    assert (status, headers.get("content-type")) == (200, media_type)


def test_a_packed_drawing_says_that_it_is_packed(client: Client) -> None:
    _, headers, body = client.ask("/h/a.svgz")
    assert (headers["content-type"], headers["content-encoding"], body) == ("image/svg+xml", "gzip", b"\x1f\x8bx")


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [("bytes=0-0", 0, 1), ("bytes=10-19", 10, 20), ("bytes=10000-", 10_000, None), ("bytes=-7", -7, None),
     ("bytes=10-99999", 10, None), ("bytes=-99999", 0, None)],
)  # fmt: skip
def test_parts_of_a_file_can_be_asked_for(wanted: str, start: int, end: int | None, client: Client) -> None:
    status, headers, body = client.ask("/h/a.mp4", Range=wanted)
    assert (status, body) == (206, MEDIA[start:end])
    first = len(MEDIA) + start if start < 0 else start
    assert headers["content-range"] == f"bytes {first}-{first + len(body) - 1}/{len(MEDIA)}"


@pytest.mark.parametrize("wanted", ["bytes=1-2,4-5", "bytes=5-2", "bytes=-", "lines=1-2", "bytes=x-"])
def test_a_part_that_makes_no_sense_is_left_out_of_account(wanted: str, client: Client) -> None:
    status, _, body = client.ask("/h/a.mp4", Range=wanted)
    assert (status, body) == (200, MEDIA)


def test_a_part_behind_the_end_is_refused(client: Client) -> None:
    status, headers, _ = client.ask("/h/a.mp4", Range="bytes=20000-")
    assert (status, headers["content-range"]) == (416, f"bytes */{len(MEDIA)}")


def test_what_has_not_changed_is_not_sent_again(client: Client) -> None:
    _, headers, _ = client.ask("/h/a.css")
    status, _, body = client.ask("/h/a.css", If_None_Match=headers["etag"])
    assert (status, body) == (304, b"")
    assert client.ask("/h/a.mp4", Range="bytes=0-0", If_Range='"old"')[0] == 200


def test_head_has_no_body(client: Client) -> None:
    status, headers, body = client.ask("/h/a.mp4", "HEAD")
    assert (status, headers["content-length"], body) == (200, str(len(MEDIA)), b"")
    assert client.ask("/absent", "HEAD")[0] == 404
    assert client.ask("/h/a.css")[2] == b"p{}", "the connection is still good"


def test_a_path_that_is_not_there_is_told(client: Client) -> None:
    assert client.ask("/h/absent.html")[0] == 404
    assert client.ask("/h/../../etc/passwd")[0] == 404


def test_a_folder_without_its_slash_is_redirected(client: Client) -> None:
    status, headers, _ = client.ask("/h")
    assert (status, headers["location"]) == (301, "/h/")


def test_folders_whose_names_are_no_utf_8_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"mirror\xff")
    (folder / os.fsdecode(b"\xfe")).mkdir(parents=True)
    with running(folder) as server, closing(Client(server)) as client:
        for path, title in (("/", "Mirror: mirror\ufffd"), ("/%FE/", "\ufffd")):
            status, _, body = client.ask(path)
            assert (status, f"<title>{title}</title>" in body.decode()) == (200, True)


def test_other_methods_are_refused(client: Client) -> None:
    assert client.ask("/h/", "DELETE")[0] == 501


def test_a_page_elsewhere_cannot_reach_the_mirror_by_a_name_of_its_own(client: Client) -> None:
    assert client.ask("/h/", Host="evil.example:8000")[0] == 403
    assert client.ask("/h/", Host="localhost:8000")[0] == 200


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:8000", "[::1]", "x.localhost", ""]
)
def test_this_machines_own_names_are_known(host: str) -> None:
    assert is_own_host(host)


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "evil:80", "127.0.0.1.evil.example"])
def test_other_names_are_not(host: str) -> None:
    assert not is_own_host(host)


def test_rubbish_does_not_end_the_server(server: MirrorServer, client: Client) -> None:
    for rubbish in (
        b"\0\xff" * 100 + b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /%zz%ff HTTP/1.1\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=60) as raw:
            raw.sendall(rubbish)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(4096):
                pass
    assert client.ask("/h/")[0] == 200


def test_a_port_in_use_or_an_address_that_is_none_is_told(server: MirrorServer, tmp_path: Path) -> None:
    site = Site(tmp_path)
    with pytest.raises(BadInput, match="in use"):
        MirrorServer(site, "127.0.0.1", server.server_address[1])
    with pytest.raises(BadInput, match="not an IP address"):
        MirrorServer(site, "example.org")
    with pytest.raises(BadInput, match="65535"):
        MirrorServer(site, "127.0.0.1", 70_000)


def test_it_listens_on_ipv6_too(tmp_path: Path) -> None:
    with MirrorServer(Site(tmp_path), "::1") as server:
        assert server.url.startswith("http://[::1]:")
