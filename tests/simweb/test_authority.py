from __future__ import annotations

import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from weft.missing_library import how_to_install
from weft.simweb.authority import Authority
from weft.simweb.behaviour import TlsFault


def shake_hands(server: ssl.SSLContext, name: str, ca_file: Path) -> ssl.SSLObject:
    """A handshake in memory; gives the client's end of it."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context(cafile=str(ca_file))
    client.set_alpn_protocols(["h2", "http/1.1"])
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for turn in range(6):
        try:
            ends[turn % 2].do_handshake()
        except ssl.SSLWantReadError:
            continue
    return ends[0]


@pytest.fixture
def ca_file(tmp_path: Path) -> Path:
    return tmp_path / "ca.pem"


@pytest.mark.parametrize("name", ["amber3.test", "www.amber3.test", "a.b.c.test", "localhost", "127.1.0.1", "::1"])
def test_every_name_gets_a_certificate_that_holds(name: str, ca_file: Path) -> None:
    authority = Authority()
    authority.write_certificate(ca_file)
    client = shake_hands(authority.context(name), name, ca_file)
    assert client.version() == "TLSv1.3"
    assert client.selected_alpn_protocol() == "http/1.1"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (TlsFault.EXPIRED, "certificate has expired"),
        (TlsFault.NOT_YET_VALID, "not yet valid"),
        (TlsFault.WRONG_HOST, "Hostname mismatch"),
        (TlsFault.SELF_SIGNED, "self-signed certificate"),
        (TlsFault.UNKNOWN_AUTHORITY, "unable to get local issuer certificate"),
    ],
)
def test_a_wrong_certificate_is_wrong_in_the_way_asked_for(fault: TlsFault, reason: str, ca_file: Path) -> None:
    authority = Authority()
    authority.write_certificate(ca_file)
    with pytest.raises(ssl.SSLCertVerificationError, match=reason):
        shake_hands(authority.context("a.test", fault), "a.test", ca_file)


def test_the_hosts_of_a_domain_share_a_context_and_others_do_not() -> None:
    authority = Authority()
    shared = {id(authority.context(name)) for name in ("a.test", "www.a.test", "blog.a.test", "a.test")}
    assert len(shared) == 1
    assert authority.context("b.test") is not authority.context("a.test")
    assert authority.context("a.test", TlsFault.EXPIRED) is not authority.context("a.test")


def test_a_name_that_no_certificate_can_be_for_gets_one_for_another(ca_file: Path) -> None:
    authority = Authority()
    authority.write_certificate(ca_file)
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(authority.context("not_a..name@x"), "a.test", ca_file)


def test_without_trustme_plain_http_works_and_https_says_what_is_missing() -> None:
    program = (
        "import sys, asyncio\n"
        "sys.modules['trustme'] = None\n"
        "from weft.errors import BadInput\n"
        "from weft.simweb import SimServer, SimWeb, WebSpec\n"
        "async def serve(**kinds):\n"
        "    async with SimServer(SimWeb(WebSpec(hosts=1, pages=1, **kinds))):\n"
        "        print('serves')\n"
        "asyncio.run(serve())\n"
        "try:\n"
        "    asyncio.run(serve(tls_share=1.0))\n"
        "except BadInput as error:\n"
        "    print(error)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.stderr == ""
    assert ended.stdout == f"serves\na synthetic web over https needs trustme: {how_to_install('trustme')}\n"
