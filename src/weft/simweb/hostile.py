"""Servers that nobody should meet, ready for a test to put under a path. No truth holds for them.

    SimProcess(spec, site("hostile.test", hostile_answers()))   every hostile answer, at /<name>
    SimProcess(spec, {("trap.test", "*"): Trap(TrapKind.CALENDAR)})

What a client is to survive here: it may take any of these for an error, none for a page without end.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

import brotli  # type: ignore[import-untyped]
import zstandard

from weft.simweb.behaviour import After, Behaviour, Drip, Endless, Fixed, Framing, Raw, Stream

MIB = 1024 * 1024

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
_PAGE = b"<!DOCTYPE html><title>ok</title><p>ok\n"
_EARLY_HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"


def site(host: str, answers: Mapping[str, Behaviour]) -> dict[tuple[str, str], Behaviour]:
    """Answers by name as a host's paths, with a home page that links to all of them."""
    links = "".join(f'<p><a href="/{name}">{name}</a>\n' for name in answers)
    home = Fixed(f"<!DOCTYPE html><title>{host}</title>\n{links}".encode())
    return {(host, "/"): home} | {(host, f"/{name}"): answer for name, answer in answers.items()}


def hostile_answers(bomb_bytes: int = 64 * MIB) -> dict[str, Behaviour]:
    """Every hostile answer, by name."""
    return HOSTILE | {f"{coding}-bomb": bomb(coding, bomb_bytes) for coding in BOMBS}


def redirect_chain(host: str, hops: int, end: str = "/end") -> dict[tuple[str, str], Behaviour]:
    """So many redirects in a row, from /chain/<hops> on, and the page at their end."""
    chain: dict[tuple[str, str], Behaviour] = {(host, end): Fixed(_PAGE)}
    for hop in range(1, hops + 1):
        target = f"/chain/{hop - 1}" if hop > 1 else end
        chain[host, f"/chain/{hop}"] = _redirect(target)
    return chain


def bomb(coding: str, unpacked_bytes: int) -> Fixed:
    """A small body that grows beyond measure when it is unpacked."""
    headers = (("Content-Encoding", coding),)
    return Fixed(BOMBS[coding](unpacked_bytes), headers=headers)


def _redirect(target: str) -> Fixed:
    return Fixed(b"", 302, headers=(("Location", target),))


def _packed_by(compress: Callable[[bytes], bytes], finish: Callable[[], bytes], unpacked_bytes: int) -> bytes:
    """Zeros, packed piece by piece, so that they are never all in memory."""
    zeros = bytes(MIB)
    packed = [compress(zeros[: unpacked_bytes - start]) for start in range(0, unpacked_bytes, MIB)]
    return b"".join([*packed, finish()])


def _gzip_bomb(unpacked_bytes: int) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return _packed_by(packer.compress, packer.flush, unpacked_bytes)


def _deflate_bomb(unpacked_bytes: int) -> bytes:
    packer = zlib.compressobj()
    return _packed_by(packer.compress, packer.flush, unpacked_bytes)


def _brotli_bomb(unpacked_bytes: int) -> bytes:
    packer = brotli.Compressor(quality=1)
    return _packed_by(packer.process, packer.finish, unpacked_bytes)


def _zstd_bomb(unpacked_bytes: int) -> bytes:
    packer = zstandard.ZstdCompressor(3).compressobj()
    return _packed_by(packer.compress, packer.flush, unpacked_bytes)


BOMBS: dict[str, Callable[[int], bytes]] = {
    "gzip": _gzip_bomb,
    "deflate": _deflate_bomb,
    "br": _brotli_bomb,
    "zstd": _zstd_bomb,
}

HOSTILE: dict[str, Behaviour] = {
    # heads
    "endless-head": Endless(_HEAD, b"X-More: and more\r\n"),
    "endless-header-line": Endless(_HEAD + b"X-Long: ", b"and on and on "),
    "endless-interim": Endless(b"", _EARLY_HINT),
    "endless-interim-slowly": Endless(b"", _EARLY_HINT, interval_s=0.05),
    "interim-flood": Raw(_EARLY_HINT * 5_000 + Fixed(_PAGE).head() + _PAGE, After.KEEP),
    "huge-header": Raw(_HEAD + b"X-Huge: " + b"x" * 2 * MIB + b"\r\nContent-Length: 0\r\n\r\n"),
    "many-headers": Raw(
        _HEAD + b"".join(b"X-%d: y\r\n" % number for number in range(20_000)) + b"Content-Length: 0\r\n\r\n"
    ),
    "dripping-head": Drip(_HEAD + b"Content-Length: 0\r\n\r\n"),
    "not-http": Raw(b"220 mail.test ready\r\n"),
    "nothing": Raw(b""),
    "binary": Raw(bytes(range(256)) * 64),
    "status-line-only": Raw(b"HTTP/1.1 200 OK\r\n"),
    # lengths
    "length-too-long": Raw(_HEAD + b"Content-Length: 1000\r\n\r\n" + _PAGE),
    "length-too-short": Raw(_HEAD + b"Content-Length: 10\r\n\r\n" + _PAGE, After.KEEP),
    "length-negative": Raw(_HEAD + b"Content-Length: -1\r\n\r\n" + _PAGE),
    "length-no-number": Raw(_HEAD + b"Content-Length: many\r\n\r\n" + _PAGE),
    "length-beyond-64-bits": Raw(_HEAD + b"Content-Length: 99999999999999999999\r\n\r\n" + _PAGE),
    "lengths-that-differ": Raw(_HEAD + b"Content-Length: 5\r\nContent-Length: 38\r\n\r\n" + _PAGE),
    "length-and-chunks": Raw(_HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
    # chunks
    "chunk-size-no-number": Raw(_CHUNKED + b"2\r\nok\r\nfour\r\nlost\r\n0\r\n\r\n"),
    "chunk-size-beyond-64-bits": Raw(_CHUNKED + b"fffffffffffffffff\r\nok\r\n0\r\n\r\n"),
    "chunk-longer-than-its-size": Raw(_CHUNKED + b"2\r\nmore than two\r\n0\r\n\r\n"),
    "chunks-cut": Raw(_CHUNKED + b"2\r\nok\r\n"),
    "endless-chunk-extension": Endless(_CHUNKED + b"2;", b"extension=of-no-use;"),
    "endless-trailer": Endless(_CHUNKED + b"2\r\nok\r\n0\r\n", b"X-More: and more\r\n"),
    "endless-tiny-chunks": Endless(_CHUNKED, b"1\r\nx\r\n"),
    # bodies
    "endless-body": Stream(None, Framing.CLOSE, prefix=_PAGE, content_type="text/html"),
    "endless-chunks": Stream(None, Framing.CHUNKED, prefix=_PAGE, content_type="text/html"),
    "endless-tags": Endless(_HEAD + b"\r\n", b"<div>"),
    "endless-body-slowly": Endless(_HEAD + b"\r\n" + _PAGE, b"x", interval_s=0.05),
    "dripping-body": Drip(_HEAD + b"\r\n" + _PAGE * 100),
    "said-to-be-gzip": Fixed(_PAGE, headers=(("Content-Encoding", "gzip"),)),
    "gzip-cut": Fixed(zlib.compress(_PAGE * 100, wbits=31)[:50], headers=(("Content-Encoding", "gzip"),)),
    "unknown-coding": Fixed(_PAGE, headers=(("Content-Encoding", "pack200-gzip"),)),
    # redirects
    "redirect-to-itself": _redirect("/redirect-to-itself"),
    "redirect-there": _redirect("/redirect-back"),
    "redirect-back": _redirect("/redirect-there"),
    "redirect-nowhere": Fixed(b"", 302),
    "redirect-to-no-url": _redirect("http://[not/a/url"),
    "redirect-to-file": _redirect("file:///etc/hosts"),
    "redirect-into-private-network": _redirect("http://10.0.0.1/"),
}
