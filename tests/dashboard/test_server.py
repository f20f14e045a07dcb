"""The server as a client sees it: also one that means ill, and whatever lies in the folder."""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

import msgspec
import psutil  # type: ignore[import-untyped]
import pytest

from tests.live.moments import a_history
from tests.live.statuses import a_status
from weft.dashboard import app
from weft.dashboard.feed import MOST_VIEWERS
from weft.dashboard.guard import HEADERS
from weft.dashboard.metrics import CONTENT_TYPE, metrics_text
from weft.dashboard.server import MOST_CONNECTIONS, WatchedConnection
from weft.live.mailbox import waiting_commands
from weft.live.status import State

from .serving import TOKEN, WITHIN_S, Served, make_crawl, serving, source_of, write_history, write_status

COMMANDS: list[dict[str, Any]] = [
    {"type": "pause"},
    {"type": "resume"},
    {"type": "rate", "pages_per_s": 2.5},
    {"type": "rate", "pages_per_s": None},
    {"type": "delay", "host": "host0.test", "seconds": 4},
    {"type": "delay", "host": "host0.test", "seconds": None},
    {"type": "block", "host": "host0.test"},
    {"type": "unblock", "host": "host0.test"},
    {"type": "seeds", "urls": ["http://host0.test/a", "http://host0.test/b"]},
    {"type": "exclude", "pattern": "*/calendar/*"},
]
HOSTILE = '</script><img src=x onerror=alert(1)>"\r\n\r\ndata: {}\r\n\u2028\u0000'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = make_crawl(tmp_path / "crawl")
    write_status(folder, a_status())
    write_history(folder, a_history(50))
    return folder


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(source_of(folder)) as running:
        yield running


class Viewer:
    """A browser that looks on."""

    def __init__(self, served: Served) -> None:
        self._connection = socket.create_connection(("127.0.0.1", served.port), timeout=WITHIN_S)
        self._file = self._connection.makefile("rb")
        self._connection.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self.status = int(self._file.readline().split()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._connection.close()

    def next_frame(self) -> Any:
        while not (line := self._file.readline()).startswith(b"data: "):
            assert line, "the stream has ended"
        return json.loads(line[6:])


def first_frame(served: Served) -> Any:
    """The first event of a new viewer."""
    with Viewer(served) as viewer:
        return viewer.next_frame()


@pytest.mark.parametrize("path", sorted(app.FILES))
def test_the_page_is_whole_and_each_answer_has_the_headers_that_guard_it(served: Served, path: str) -> None:
    status, headers, body = served.ask(path)
    assert status == 200
    assert body == (app.PAGE / app.FILES[path]).read_bytes()
    assert {name: headers[name.lower()] for name in HEADERS} == HEADERS


def test_errors_have_them_too(served: Served) -> None:
    for path, method in (("/none", "GET"), ("/status", "POST"), ("/commands", "GET"), ("/../app.py", "GET")):
        status, headers, _ = served.ask(path, method, headers={"Authorization": f"Bearer {TOKEN}"})
        assert status in (404, 405)
        assert {name: headers[name.lower()] for name in HEADERS} == HEADERS


def test_the_files_of_the_page_are_those_that_are_there() -> None:
    assert sorted(app.FILES.values()) == sorted(path.name for path in app.PAGE.iterdir())


def test_the_page_names_nothing_outside() -> None:
    for path in app.PAGE.iterdir():
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, path
        assert "innerHTML" not in text, path


def test_status_and_history_are_what_the_folder_says(served: Served) -> None:
    assert json.loads(served.ask("/status")[2])["pages"] == a_status().pages
    assert [point["pages"] for point in json.loads(served.ask("/history")[2])] == [p.pages for p in a_history(50)]


def test_the_metrics_are_what_the_folder_says(served: Served) -> None:
    status, headers, body = served.ask("/metrics")
    assert (status, headers["content-type"]) == (200, CONTENT_TYPE)
    assert body.decode() == metrics_text(msgspec.structs.replace(a_status(), state=State.KILLED))


def test_a_viewer_gets_the_status_at_once(served: Served) -> None:
    frame = first_frame(served)
    assert (frame["kind"], frame["name"], frame["trouble"]) == ("crawl", "crawl", "")
    assert frame["status"]["pages"] == a_status().pages
    assert frame["status"]["state"] == State.KILLED  # nobody works on it


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: f"{one['type']}-{len(one)}")
def test_a_command_lies_in_the_folder_when_it_is_accepted(served: Served, folder: Path, command: Any) -> None:
    assert served.tell(command)[0] == 202
    assert [letter.command is not None for letter in waiting_commands(folder)] == [True]


@pytest.mark.parametrize(
    "wrong",
    [None, [], "pause", {}, {"type": "nothing"}, {"type": "rate"}, {"type": "rate", "pages_per_s": -1},
     {"type": "rate", "pages_per_s": "1"}, {"type": "block", "host": "a b/c"}, {"type": "seeds", "urls": []},
     {"type": "seeds", "urls": ["nonsense"]}, {"type": "exclude", "pattern": "re:("}, {"type": "delay", "host": "a"},
     {"type": "stop"}],
    ids=str,
)  # fmt: skip
def test_bad_input_is_one_sentence_and_nothing_is_left(served: Served, folder: Path, wrong: Any) -> None:
    status, answer = served.tell(wrong)
    assert status == 400
    assert answer["error"].count("\n") == 0
    assert list(waiting_commands(folder)) == []


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"type":"pause"}x'])
def test_what_is_no_json_is_refused(served: Served, folder: Path, body: bytes) -> None:
    status, _, _ = served.ask("/commands", "POST", body, {"Authorization": f"Bearer {TOKEN}"})
    assert status == 400
    assert list(waiting_commands(folder)) == []


def test_a_command_without_end_is_refused(served: Served) -> None:
    body = b" " * (app.MOST_COMMAND_BYTES + 1)
    assert served.ask("/commands", "POST", body, {"Authorization": f"Bearer {TOKEN}"})[0] == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 403),
    ],
)
def test_who_may_not_steer_is_refused(served: Served, folder: Path, headers: dict[str, str], status: int) -> None:
    assert served.ask("/commands", "POST", b'{"type":"pause"}', headers)[0] == status
    assert served.ask("/token", "POST", b"", headers)[0] == status
    assert list(waiting_commands(folder)) == []
    assert served.ask("/token", "POST", b"", {"Authorization": f"Bearer {TOKEN}"})[0] == 204


def test_hostile_words_stay_inside_their_json(served: Served, folder: Path) -> None:
    status = a_status(version=HOSTILE, warnings=[HOSTILE], failed={HOSTILE: 1})
    write_status(folder, status)
    frame = first_frame(served)
    assert frame["status"]["warnings"] == [HOSTILE]
    assert json.loads(served.ask("/status")[2])["failed"] == {HOSTILE: 1}


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'{"pages": "many"}', b"\xff" * 100, b"[" * 200_000])
def test_a_report_that_cannot_be_read_is_told(served: Served, folder: Path, text: bytes) -> None:
    (folder / "report.json").write_bytes(text)
    frame = first_frame(served)
    assert frame["status"] is None
    assert frame["trouble"]
    assert served.ask("/status")[0] == 404


def test_a_huge_report_or_history_is_not_read(served: Served, folder: Path) -> None:
    for path in (folder / "report.json", folder / "state" / "history.jsonl"):
        with path.open("r+b") as file:
            file.truncate(10 << 30)
    assert served.ask("/status")[0] == 404
    assert served.ask("/history")[0] == 404


def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(served: Served, folder: Path) -> None:
    for path in (folder / "report.json", folder / "state" / "history.jsonl"):
        path.unlink()
        os.mkfifo(path)
    assert served.ask("/status")[0] == 404
    assert served.ask("/history")[0] == 404


def test_a_torn_line_of_the_history_is_left_out(served: Served, folder: Path) -> None:
    with (folder / "state" / "history.jsonl").open("ab") as file:
        file.write(b'{"at": 18000')
    assert len(json.loads(served.ask("/history")[2])) == 50


def test_a_folder_that_is_removed_is_told_and_shown_when_it_is_back(served: Served, folder: Path) -> None:
    with Viewer(served) as viewer:
        assert viewer.next_frame()["status"] is not None
        aside = folder.with_name("aside")
        folder.rename(aside)
        assert viewer.next_frame()["status"] is None
        assert served.tell({"type": "pause"})[0] == 400
        aside.rename(folder)
        assert viewer.next_frame()["status"] is not None


def test_a_folder_that_is_gone_is_told(served: Served, folder: Path) -> None:
    shutil.rmtree(folder)
    assert served.ask("/status")[0] == 404
    assert json.loads(served.ask("/history")[2]) == []


def test_a_viewer_too_many_is_sent_away_and_let_in_when_another_has_gone(served: Served) -> None:
    with ExitStack() as viewers:
        first = viewers.enter_context(Viewer(served))
        assert {viewers.enter_context(Viewer(served)).status for _ in range(MOST_VIEWERS - 1)} == {200}
        with Viewer(served) as late:
            assert late.status == 503
        first.__exit__()
        give_up_at = time.monotonic() + WITHIN_S
        while viewers.enter_context(Viewer(served)).status != 200:  # the server has yet to notice
            assert time.monotonic() < give_up_at
    assert served.ask("/")[0] == 200


def test_clients_that_say_nothing_or_take_nothing_are_cut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(source_of(folder)) as served, ExitStack() as open_ones:
        with monkeypatch.context() as hasty:
            hasty.setattr(WatchedConnection, "look_every_s", 0.05)
            silent = [
                open_ones.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=WITHIN_S))
                for _ in range(MOST_CONNECTIONS)
            ]
            for number, connection in enumerate(silent):
                with suppress(ConnectionError):  # cut already
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: 127" if number % 2 else b"")
            for connection in silent:
                with suppress(ConnectionError):
                    assert connection.recv(1) == b""
        assert served.ask("/")[0] == 200


def test_a_command_that_never_comes_to_its_end_is_not_waited_for(
    served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "COMMAND_WITHIN_S", 0.1)
    head = f"POST /commands HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 16\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=WITHIN_S) as slow:
        slow.sendall(head.encode() + b'{"type":')
        assert slow.recv(12) == b"HTTP/1.1 408"
    assert list(waiting_commands(folder)) == []


def test_a_viewer_who_takes_nothing_is_cut_while_others_look_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WatchedConnection, "look_every_s", 1.0)
    long = ["w" * 100_000]
    with serving(source_of(folder)) as served, socket.socket() as stuck, Viewer(served) as good:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.settimeout(WITHIN_S)
        stuck.connect(("127.0.0.1", served.port))
        stuck.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        stuck.recv(12)
        pages, give_up_at = 0, time.monotonic() + WITHIN_S
        while not _is_cut(stuck):
            assert time.monotonic() < give_up_at
            pages += 1
            write_status(folder, a_status(pages=pages, warnings=long * 20))
            assert good.next_frame()["status"] is not None
        assert served.ask("/")[0] == 200


def _is_cut(connection: socket.socket) -> bool:
    """Whether the server, which is this process, has closed its end: what was sent before may still be on its way."""
    own_port = connection.getsockname()[1]
    ends = psutil.Process().net_connections("tcp")
    return not any(end.raddr and end.raddr.port == own_port for end in ends)
