"""https over real sockets: who is believed, and how each failed handshake is called."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from weft.errors import BadInput
from weft.fetch import FetchConfig
from weft.fetch.tls import Tls
from weft.types import Outcome

from . import certificates
from .rig import PAGE, Script, Visitor, open_sockets, open_sockets_before, rigged, run, serve_pages, until

MakeContext = Callable[[], ssl.SSLContext]


def test_page_comes_over_tls_with_the_host_named_and_http_1_1_agreed_on(tmp_path: Path) -> None:
    context = certificates.server_context()
    named: list[str | None] = []
    agreed: list[str | None] = []
    context.sni_callback = lambda tls, name, ours: named.append(name)

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        agreed.append(visitor.tls().selected_alpn_protocol())
        await visitor.send(PAGE)
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script, tls=context, ca_file=certificates.ca_file()) as rig:
            fetched = await rig.fetch("/a")
            assert fetched.body == b"hello"
            assert fetched.head + b"hello" == PAGE
            assert fetched.request.startswith(b"GET /a HTTP/1.1\r\nHost: site.test:")
            assert fetched.timing.connect_s > 0

    run(scenario())
    assert named == ["site.test"]
    assert agreed == ["http/1.1"]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_certificate_for_an_ip_address_is_checked_against_it(address: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context(address)
        async with rigged(tmp_path, serve_pages, tls=context, address=address, ca_file=certificates.ca_file()) as rig:
            assert (await rig.fetch(host=address, addresses=(address,))).body == b"hello"
            assert (await rig.fetch_error(addresses=(address,))).outcome is Outcome.TLS_CERTIFICATE

    run(scenario())


def test_dot_at_the_end_of_a_host_is_no_part_of_its_certificate(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            assert (await rig.fetch(host="site.test.")).body == b"hello"

    run(scenario())


BAD_CERTIFICATES: list[tuple[str, MakeContext, str]] = [
    ("expired", lambda: certificates.server_context(valid_days=-1), "certificate has expired"),
    ("of another host", lambda: certificates.server_context("other.test"), "not valid for 'site.test'"),
    ("wildcard of another level", lambda: certificates.server_context("*.site.test"), "not valid for 'site.test'"),
    ("self-signed", certificates.self_signed, "self-signed certificate"),
    ("of an unknown authority", lambda: certificates.server_context(ca=trustme.CA()), "unable to get local issuer"),
    (
        "with the chain's middle missing",
        lambda: certificates.behind_an_intermediate(sends_it=False),
        "unable to get local issuer",
    ),
]


@pytest.mark.parametrize(
    ("make_context", "words"), [row[1:] for row in BAD_CERTIFICATES], ids=[row[0] for row in BAD_CERTIFICATES]
)
def test_bad_certificate_is_refused_in_openssl_s_words_and_accepted_where_the_user_says_so(
    make_context: MakeContext, words: str, tmp_path: Path
) -> None:
    context = make_context()

    async def refused() -> None:
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            error = await rig.fetch_error()
            assert error.outcome is Outcome.TLS_CERTIFICATE
            assert words in error.detail
            assert rig.server.connections == 0  # nothing was asked

    async def accepted() -> None:
        async with rigged(tmp_path, serve_pages, tls=context, insecure_hosts=("Site.Test",)) as rig:
            assert (await rig.fetch()).body == b"hello"

    run(refused())
    run(accepted())


def test_chain_by_way_of_an_intermediate_is_followed(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.behind_an_intermediate(sends_it=True)
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            assert (await rig.fetch()).body == b"hello"

    run(scenario())


def test_test_authority_is_unknown_by_default(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, tls=certificates.server_context()) as rig:
            assert (await rig.fetch_error()).outcome is Outcome.TLS_CERTIFICATE

    run(scenario())


def test_insecure_host_makes_no_other_host_insecure(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context(valid_days=-1)
        async with rigged(tmp_path, serve_pages, tls=context, insecure_hosts=("site.test", "b.test:1")) as rig:
            assert (await rig.fetch()).body == b"hello"
            for other in ("www.site.test", "a.test", "b.test"):  # b.test at another port
                assert (await rig.fetch_error(host=other)).outcome is Outcome.TLS_CERTIFICATE

    run(scenario())


WEAK: list[tuple[str, MakeContext]] = [
    ("TLS 1.1", certificates.only_tls_1_1),
    ("cipher that no browser speaks", lambda: certificates.only_cipher("CAMELLIA256-SHA")),
]


@pytest.mark.parametrize("make_context", [row[1] for row in WEAK], ids=[row[0] for row in WEAK])
def test_old_tls_fails_but_for_hosts_that_the_user_has_named(make_context: MakeContext, tmp_path: Path) -> None:
    async def refused() -> None:
        async with rigged(tmp_path, serve_pages, tls=make_context(), ca_file=certificates.ca_file()) as rig:
            assert (await rig.fetch_error()).outcome is Outcome.TLS_FAILED

    async def accepted() -> None:
        async with rigged(tmp_path, serve_pages, tls=make_context(), insecure_hosts=("site.test",)) as rig:
            assert (await rig.fetch()).body == b"hello"

    run(refused())
    run(accepted())


@pytest.mark.parametrize("cipher", ["AES128-SHA", "ECDHE-RSA-AES256-SHA", "ECDHE-RSA-AES128-GCM-SHA256"])
def test_ciphers_of_old_but_honest_servers_are_spoken(cipher: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.only_cipher(cipher)
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file()) as rig:
            assert (await rig.fetch()).body == b"hello"

    run(scenario())


async def refuse_for_want_of_a_certificate(visitor: Visitor) -> None:
    """In memory, because the event loop's own server sends no alerts."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = certificates.wants_a_client_certificate().wrap_bio(incoming, outgoing, server_side=True)
    while True:
        incoming.write(await visitor.receive())
        try:
            server.do_handshake()
        except ssl.SSLWantReadError:
            await visitor.send(outgoing.read())
        except ssl.SSLError:
            await visitor.send(outgoing.read())
            await visitor.hold()


def test_server_that_wants_our_certificate_is_tls_failed(tmp_path: Path) -> None:
    """With TLS 1.3 the handshake is over for us when the server's alert comes."""

    async def scenario() -> None:
        script = refuse_for_want_of_a_certificate
        async with rigged(tmp_path, script, scheme="https", ca_file=certificates.ca_file()) as rig:
            error = await rig.fetch_error()
            assert error.outcome is Outcome.TLS_FAILED
            assert "certificate required" in error.detail

    run(scenario())


async def close_at_once(visitor: Visitor) -> None:
    visitor.close()


async def close_in_the_handshake(visitor: Visitor) -> None:
    await visitor.receive()
    visitor.close()


async def reset_in_the_handshake(visitor: Visitor) -> None:
    await visitor.receive()
    visitor.reset()


async def answer_in_plain_http(visitor: Visitor) -> None:
    await visitor.receive()
    await visitor.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await visitor.hold()


async def answer_garbage(visitor: Visitor) -> None:
    await visitor.receive()
    await visitor.send(bytes(range(256)) * 20)
    await visitor.hold()


async def answer_with_an_alert(visitor: Visitor) -> None:
    await visitor.receive()
    await visitor.send(b"\x15\x03\x03\x00\x02\x02\x28")  # fatal: handshake_failure
    await visitor.hold()


async def speak_before_the_handshake(visitor: Visitor) -> None:
    await visitor.send(b"220 mail.test ESMTP\r\n")
    await visitor.hold()


async def stall_in_the_handshake(visitor: Visitor) -> None:
    await visitor.hold()


async def stall_after_a_byte(visitor: Visitor) -> None:
    await visitor.receive()
    await visitor.send(b"\x16\x03\x03")
    await visitor.hold()


HANDSHAKES: list[tuple[Script, Outcome, str]] = [
    (close_at_once, Outcome.TLS_FAILED, "the server closed"),
    (close_in_the_handshake, Outcome.TLS_FAILED, "the server closed"),
    (reset_in_the_handshake, Outcome.TLS_FAILED, "the server closed"),
    (answer_in_plain_http, Outcome.TLS_FAILED, "wrong version number"),
    (answer_garbage, Outcome.TLS_FAILED, "wrong version number"),
    (answer_with_an_alert, Outcome.TLS_FAILED, "alert handshake failure"),
    (speak_before_the_handshake, Outcome.TLS_FAILED, ""),  # read as TLS or as bytes that nobody asked for
    (stall_in_the_handshake, Outcome.CONNECT_TIMEOUT, "takes too long"),
    (stall_after_a_byte, Outcome.CONNECT_TIMEOUT, "takes too long"),
]


@pytest.mark.parametrize(("script", "outcome", "words"), HANDSHAKES, ids=[row[0].__name__ for row in HANDSHAKES])
def test_failed_handshake_has_its_outcome_and_leaves_nothing_open(
    script: Script, outcome: Outcome, words: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        timeout_s = 0.15 if outcome is Outcome.CONNECT_TIMEOUT else 10
        async with rigged(tmp_path, script, scheme="https", connect_timeout_s=timeout_s) as rig:
            sockets_before = open_sockets_before()
            for _ in range(3):
                error = await rig.fetch_error()
                assert error.outcome is outcome
                assert words in error.detail
                assert error.partial is None
                await until(lambda: open_sockets() <= sockets_before)
            assert rig.fetcher.statistics() == (0, 0, 0, 0, 0, 0)

    run(scenario())


@pytest.mark.parametrize("host", ["a..b", ".", ".a", "x" * 64 + ".test"])
def test_host_that_no_certificate_can_name_is_tls_failed(host: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, scheme="https") as rig:
            sockets_before = open_sockets_before()
            assert (await rig.fetch_error(host=host)).outcome is Outcome.TLS_FAILED
            await until(lambda: open_sockets() <= sockets_before)

    run(scenario())


def test_bad_authority_file_is_known_at_once(tmp_path: Path) -> None:
    nonsense = tmp_path / "ca.pem"
    nonsense.write_text("no certificate")
    for path in (nonsense, tmp_path / "missing.pem"):
        with pytest.raises(BadInput, match=path.name):
            Tls(FetchConfig(ca_file=str(path)))


def test_insecure_host_that_is_no_host_is_bad_input() -> None:
    with pytest.raises(BadInput):
        Tls(FetchConfig(insecure_hosts=("https://a.test/",)))
