"""FTP servers that misbehave: each fault has its outcome, and nothing is left open or taken."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from weft.errors import FetchError
from weft.types import Fetched, Outcome

from .rig import Rig, Script, Visitor, rigged, run, serving, until

FILE = b"0123456789"


class Talk:
    """A server whose replies are given; those that are not are the usual ones. None: it says nothing, and stays."""

    def __init__(self, greeting: bytes | None = b"220 Hello", **replies: bytes | None) -> None:
        self.commands: list[bytes] = []
        self.data_port = 0
        self.hangs_up = False  # at the next command, once
        self.sent = asyncio.Event()  # a data connection has done its part
        self.listed: asyncio.Queue[bytes] = asyncio.Queue()  # commands to list
        self._greeting = greeting
        self._replies: dict[str, bytes | None] = {
            "USER": b"331 Password?",
            "PASS": b"230 Come in",
            "FEAT": b"500 What?",
            "PWD": b'257 "/"',
            "SIZE": b"213 %d" % len(FILE),
            "MDTM": b"213 20260101000000",
            "CWD": b"250 Here we are",
            "RETR": b"150 Here it comes",
            "LIST": b"150 Here it comes",
            "after RETR": b"226 That was it",
            "after LIST": b"226 That was it",
            **replies,
        }

    async def __call__(self, visitor: Visitor) -> None:
        await self._say(visitor, self._greeting)
        pending = b""
        while data := await visitor.receive():
            *lines, pending = (pending + data).split(b"\r\n")
            for line in lines:
                self.commands.append(line)
                if line.startswith(b"LIST"):
                    self.listed.put_nowait(line)
                if self.hangs_up:
                    self.hangs_up = False
                    visitor.close()
                    return
                verb = line.split()[0].decode()
                usual = b"229 (|||%d|)" % self.data_port if verb == "EPSV" else b"200 Fine"
                await self._say(visitor, self._replies.get(verb, usual))
                if verb in ("RETR", "LIST") and (self._replies[verb] or b"").startswith(b"1"):
                    await self.sent.wait()
                    await self._say(visitor, self._replies[f"after {verb}"])

    async def _say(self, visitor: Visitor, reply: bytes | None) -> None:
        if reply is None:
            await visitor.hold()
        elif reply == b"hang up":
            visitor.close()
        elif reply == b"reset":
            visitor.reset()
        else:
            await visitor.send(reply + b"\r\n")


def sends(data: bytes, talk: Talk) -> Script:
    """A data connection over which these bytes come."""

    async def script(visitor: Visitor) -> None:
        await visitor.send(data)
        visitor.close()
        talk.sent.set()

    return script


@asynccontextmanager
async def talking(folder: Path, talk: Talk, data: Script | None = None, **settings: Any) -> AsyncIterator[Rig]:
    async with serving(data or sends(FILE, talk)) as data_server:
        talk.data_port = data_server.port
        async with rigged(folder, talk, scheme="ftp", **settings) as rig:
            yield rig
            assert rig.budget.used_bytes == 0
            assert rig.spooled() == []


async def get(rig: Rig, path: str = "/file") -> Fetched:
    fetched = await rig.fetch(path)
    assert fetched.body is not None
    rig.budget.remove(len(fetched.body))
    return fetched


async def fail(rig: Rig, path: str = "/file") -> FetchError:
    with pytest.raises(FetchError) as caught:
        await rig.fetch(path)
    if caught.value.partial is not None:
        rig.budget.remove(len(caught.value.partial.body or b""))
    return caught.value


def test_a_server_without_faults(tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk()
        async with talking(tmp_path, talk) as rig:
            assert (await get(rig)).body == FILE
            assert talk.commands == [
                *(b"USER anonymous", b"PASS anonymous@", b"FEAT", b"TYPE I", b"PWD"),
                *(b"SIZE /file", b"MDTM /file", b"EPSV", b"RETR /file"),
            ]

    run(scenario())


@pytest.mark.parametrize("features", [b"500 What?", b"211-These\r\n MLST type*;size*;\r\n211 End"])
def test_numbers_that_no_file_has_are_not_read(features: bytes, tmp_path: Path) -> None:
    async def scenario() -> None:
        number = b"9" * 5_000
        mlst = b"250-Here\r\n type=file;size=%b;modify=%b; /file\r\n250 End" % (number, number)
        talk = Talk(FEAT=features, SIZE=b"213 " + number, MDTM=b"213 " + number, MLST=mlst)
        async with talking(tmp_path, talk) as rig:
            fetched = await get(rig)
            assert (fetched.body, fetched.header(b"last-modified")) == (FILE, None)

    run(scenario())


@pytest.mark.parametrize(
    ("talk", "status"),
    [
        ({"greeting": b"421 Too many connections"}, 503),
        ({"greeting": b"530 Go away"}, 401),
        ({"PASS": b"530 Wrong"}, 401),
        ({"PASS": b"530 Sorry, the maximum number of clients (5) is reached"}, 503),
        ({"PASS": b"421 Enough for today"}, 503),
        ({"PASS": b"332 And your account?"}, 401),
        ({"TYPE": b"500 What?"}, 501),
        ({"EPSV": b"500 What?", "PASV": b"502 What?"}, 501),
        ({"EPSV": b"229 no port", "PASV": b"227 none either"}, 500),
        ({"RETR": b"550 No such file"}, 404),
        ({"RETR": b"553 No such name"}, 404),
        ({"RETR": b"450 Busy"}, 500),
        ({"RETR": b"425 No data connection"}, 500),
        ({"RETR": b"530 Log in first"}, 401),
    ],
)
def test_what_the_server_says_instead_of_a_file_has_a_status(
    talk: dict[str, bytes], status: int, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with talking(tmp_path, Talk(**talk)) as rig:
            fetched = await get(rig)
            assert fetched.status == status
            assert fetched.head == b""

    run(scenario())


@pytest.mark.parametrize(
    ("talk", "outcome"),
    [
        ({"greeting": None}, Outcome.RESPONSE_TIMEOUT),
        ({"greeting": b"HTTP/1.1 400 Bad Request"}, Outcome.BAD_RESPONSE),
        ({"greeting": b"SSH-2.0-OpenSSH_9.2"}, Outcome.BAD_RESPONSE),
        ({"greeting": b"220-" + b"welcome " * 10_000}, Outcome.BAD_RESPONSE),
        ({"greeting": b"hang up"}, Outcome.CLOSED),
        ({"PASS": b"hang up"}, Outcome.CLOSED),
        ({"RETR": b"reset"}, Outcome.RESET),
        ({"SIZE": None}, Outcome.RESPONSE_TIMEOUT),
        ({"SIZE": b"\r\n".join([b"150 Wait"] * 16)}, Outcome.RESPONSE_TIMEOUT),
        ({"SIZE": b"\r\n".join([b"150 Wait"] * 17)}, Outcome.BAD_RESPONSE),
        ({"RETR": None}, Outcome.RESPONSE_TIMEOUT),
    ],
)
def test_a_control_connection_that_fails_has_an_outcome(
    talk: dict[str, bytes | None], outcome: Outcome, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async def waits(visitor: Visitor) -> None:
            await visitor.hold()

        timeout_s = 0.1 if None in talk.values() else 10.0
        async with talking(tmp_path, Talk(**talk), waits, head_timeout_s=timeout_s) as rig:
            error = await fail(rig)
            assert (error.outcome, error.partial) == (outcome, None)

    run(scenario())


def test_a_file_that_stalls_is_left_in_time_with_what_came_of_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def stalls(visitor: Visitor) -> None:
            await visitor.send(FILE[:4])
            await visitor.hold()

        async with talking(tmp_path, Talk(), stalls, idle_timeout_s=0.1) as rig:
            error = await fail(rig)
            assert error.outcome is Outcome.STALLED
            assert error.partial is not None
            assert (error.partial.body, error.partial.truncated) == (FILE[:4], "time")

    run(scenario())


@pytest.mark.parametrize("last", [b"426 Transfer aborted", b"451 Disk error"])
def test_a_file_that_the_server_breaks_off_is_not_whole(last: bytes, tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk(**{"after RETR": last})
        async with talking(tmp_path, talk, sends(FILE[:4], talk)) as rig:
            error = await fail(rig)
            assert error.outcome is Outcome.CLOSED
            assert error.partial is not None
            assert (error.partial.body, error.partial.truncated) == (FILE[:4], "disconnect")

    run(scenario())


def test_a_data_connection_that_is_reset_is_told_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def resets(visitor: Visitor) -> None:
            await visitor.send(FILE[:4])
            await asyncio.sleep(0.02)
            visitor.reset()

        async with talking(tmp_path, Talk(), resets) as rig:
            assert (await fail(rig)).outcome is Outcome.RESET

    run(scenario())


@pytest.mark.parametrize(("sent", "is_whole"), [(FILE, True), (FILE[:4], False)])
def test_without_a_last_word_a_file_is_whole_if_its_size_is(sent: bytes, is_whole: bool, tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk(**{"after RETR": b"hang up"})
        async with talking(tmp_path, talk, sends(sent, talk)) as rig:
            if is_whole:
                assert (await get(rig)).body == FILE
            else:
                assert (await fail(rig)).outcome is Outcome.CLOSED

    run(scenario())


@pytest.mark.parametrize("last", [b"hang up", b"426 Transfer aborted"])
def test_a_listing_without_a_good_last_word_is_not_taken_for_whole(last: bytes, tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk(**{"after LIST": last})
        async with talking(tmp_path, talk, sends(b"-rw-r--r-- 1 me users 1 Nov 15 14:58 a\r\n", talk)) as rig:
            assert (await fail(rig, "/")).outcome is Outcome.CLOSED

    run(scenario())


_A, _B = b"-rw-r--r-- 1 me users 1 Nov 15 14:58 a\r\n", b"-rw-r--r-- 1 me users 1 Nov 15 14:58 .b\r\n"
_NAMED_A = b"-rw-r--r-- 1 me users 1 Nov 15 14:58 -a\r\n"


@pytest.mark.parametrize(
    ("plain", "with_a", "found"),
    [
        (_A, _A + _B, [b".b", b"a"]),
        (_A, b"", [b"a"]),  # taken for a name that is not there
        (_A, _NAMED_A, [b"a"]),  # for one that is
        (_A + _NAMED_A, _NAMED_A, [b"-a", b"a"]),
        (b"", _B, [b".b"]),
        (b"", _NAMED_A, []),
        (_A, None, [b"a"]),  # the server hangs up
    ],
)
def test_hidden_names_are_listed_where_the_server_understands_how_to_ask(
    plain: bytes, with_a: bytes | None, found: list[bytes], tmp_path: Path
) -> None:
    async def scenario() -> None:
        talk = Talk()

        async def script(visitor: Visitor) -> None:
            talk.sent.clear()
            await talk.listed.get()
            is_plain = talk.commands[-1] == b"LIST"
            talk.hangs_up = is_plain and with_a is None
            await visitor.send((plain if is_plain else with_a) or b"")
            visitor.close()
            talk.sent.set()

        async with talking(tmp_path, talk, script) as rig:
            for _ in range(2):  # the second time in the same session, if that is still there
                page = (await get(rig, "/")).body or b""
                assert re.findall(rb'href="([^"]+)"', page) == found

    run(scenario())


def test_a_link_gives_no_commands_of_its_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk()
        async with talking(tmp_path, talk) as rig:
            assert (await get(rig, "/a%0d%0aDELE%20b")).status == 400
            assert rig.server.connections == 0

    run(scenario())


def test_a_server_that_hangs_up_at_the_next_command_is_not_asked_again_unasked(tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk()
        async with talking(tmp_path, talk) as rig:
            assert (await get(rig)).body == FILE
            talk.hangs_up = True
            assert (await fail(rig)).on_kept
            assert rig.fetcher.statistics().stale == 1
            assert (await get(rig)).body == FILE

    run(scenario())


def test_a_fetch_that_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def stalls(visitor: Visitor) -> None:
            await visitor.send(FILE[:4])
            await visitor.hold()

        talk = Talk()
        async with talking(tmp_path, talk, stalls) as rig:
            task = asyncio.create_task(rig.fetch("/file"))
            await until(lambda: b"RETR /file" in talk.commands)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: rig.fetcher.statistics().open == 0)
            assert rig.fetcher.statistics().active == 0

    run(scenario())


def test_a_folder_without_end_is_cut_after_a_whole_name(tmp_path: Path) -> None:
    line = b"-rw-r--r-- 1 me users 1 Nov 15 14:58 file-%06d\r\n"
    listing = b"".join(line % number for number in range(100_000))

    async def scenario() -> None:
        talk = Talk()
        async with talking(tmp_path, talk, sends(listing, talk)) as rig:
            fetched = await rig.fetch("/")
            assert fetched.truncated == "length"
            assert fetched.spool is not None
            page = Path(fetched.spool).read_text()
            Path(fetched.spool).unlink()
            names = [row[13:24] for row in page.splitlines() if row.startswith("<li>")]
            assert names == [f"file-{number:06d}" for number in range(len(names))]
            assert len(names) > 10_000

    run(scenario())
