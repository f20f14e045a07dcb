from __future__ import annotations

import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
import msgspec
import pytest
import zstandard

from weft.simweb import SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Endless, Fixed, Raw, Stream
from weft.simweb.hostile import BOMBS, HOSTILE, MIB, bomb, hostile_answers, redirect_chain, site

from .reference import ask_model, fetch
from .serving import OWN, SPEC, asked, with_server


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_answer_harms_only_who_asks_for_it(name: str) -> None:
    async def use(server: SimServer) -> None:
        async with asked(server, f"/{name}") as reader:
            if name != "nothing":
                assert await reader.read(1)
            assert (await fetch(server.web, server.web.url(OWN, "/"))).status == 200

    custom = {path: answer for (_, path), answer in site(OWN, HOSTILE).items()}
    server = with_server(SPEC, use, custom)
    assert server.log[0].path == f"/{name}"


@pytest.mark.parametrize("name", [name for name, answer in HOSTILE.items() if isinstance(answer, Endless | Stream)])
def test_what_has_no_end_has_none(name: str) -> None:
    slow = isinstance(HOSTILE[name], Endless) and "slowly" in name

    async def use(server: SimServer) -> None:
        async with asked(server, f"/{name}") as reader:
            assert len(await reader.readexactly(100 if slow else 2_000_000))

    with_server(SPEC, use, {f"/{name}": HOSTILE[name]})


def test_hostile_answers_travel_as_json() -> None:
    answers = hostile_answers(bomb_bytes=MIB)
    again = msgspec.json.decode(msgspec.json.encode(answers), type=dict[str, Behaviour])
    assert again == answers
    assert {"gzip-bomb", "br-bomb", "zstd-bomb", "deflate-bomb"} <= again.keys()


@pytest.mark.parametrize("coding", list(BOMBS))
def test_a_bomb_grows_to_the_size_asked_for(coding: str) -> None:
    packed = bomb(coding, 16 * MIB + 5)
    assert len(packed.body) < 20_000
    assert packed.headers == (("Content-Encoding", coding),)
    unpack: dict[str, Callable[[], bytes]] = {
        "gzip": lambda: zlib.decompress(packed.body, 31),
        "deflate": lambda: zlib.decompress(packed.body),
        "br": lambda: brotli.decompress(packed.body),
        "zstd": lambda: zstandard.ZstdDecompressor().decompressobj().decompress(packed.body),
    }
    assert len(unpack[coding]()) == 16 * MIB + 5


def test_a_chain_of_redirects_has_the_length_asked_for() -> None:
    web = SimWeb(WebSpec(hosts=1, pages=1), redirect_chain(OWN, 25))
    path, hops = "/chain/25", 0
    while location := ask_model(web, web.url(OWN, path)).headers.get("location"):
        path, hops = location, hops + 1
    assert (path, hops) == ("/end", 25)
    assert ask_model(web, web.url(OWN, path)).status == 200


def test_a_site_links_to_all_of_its_answers() -> None:
    home = site(OWN, {"a": Fixed(), "b": Fixed()})[OWN, "/"]
    assert isinstance(home, Fixed)
    assert home.body.count(b"<a href=") == 2


def test_a_flood_of_interim_responses_ends_with_a_page() -> None:
    flood = HOSTILE["interim-flood"]
    assert isinstance(flood, Raw)

    async def use(server: SimServer) -> None:
        async with asked(server, "/") as reader:
            received = await reader.readexactly(len(flood.data))
            assert received.count(b"HTTP/1.1 103") == 5_000
            assert received.count(b"HTTP/1.1 200") == 1
            assert received.endswith(b"<p>ok\n")

    with_server(SPEC, use, {"/": flood})
