"""A request that a user's function asks for: `weft.Request`.

    yield page.follow("/next")
    yield weft.Request("https://example.org/search", data={"q": "kettle"})

It goes the way of every link: canonical, through scope, filters, `seen` and robots.txt, and waits for its host.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Literal, TypedDict, Unpack
from urllib.parse import urlencode

import msgspec

from weft.errors import BadInput
from weft.regex import regex
from weft.types import Kind, RequestParts

Method = Literal["GET", "POST"]
Data = Mapping[str, object] | Sequence[tuple[str, object]] | str | bytes

METHODS: Final = ("GET", "POST")
KINDS: Final = (Kind.LINK, Kind.FRAME, Kind.EMBED, Kind.SITEMAP)  # the others say what the crawl itself did
MAX_BODY_BYTES: Final = 1024 * 1024  # it waits in the queue with its URL
MAX_HEADERS_BYTES: Final = 16 * 1024
# What the connection says for itself.
_NOT_YOURS: Final = frozenset(("host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"))
_HEADER_NAME: Final = regex(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSENDABLE: Final = regex(r"[\r\n\0\ud800-\udfff]")  # in a header's value; the last have no form in UTF-8
NO_UTF8: Final = "the data of a request has a character that UTF-8 does not know"
_DIGEST_BYTES: Final = 16


class RequestOptions(TypedDict, total=False):
    """What a request takes besides its URL."""

    method: Method  # POST if there is something to send, else GET
    data: Data  # a form's fields, or a body as it is
    json: object  # a body as JSON, in the place of `data`
    headers: Mapping[str, str]
    kind: Kind  # how it counts as found; a link
    secret: bool  # its body has a password: no archive, log or index shows it; a URL cannot be one


class Request:
    """A URL to visit, and how to ask for it. Two are the same request if URL, method and body are."""

    __slots__ = ("body", "headers", "is_secret", "kind", "method", "url")

    def __init__(self, url: str, **options: Unpack[RequestOptions]) -> None:
        if not isinstance(url, str):
            raise BadInput(f"the URL of a request is a text, not {type(url).__name__}")
        if unknown := options.keys() - RequestOptions.__annotations__.keys():
            raise BadInput(f"a request has no {sorted(unknown)[0]!r}")
        self.url: Final = url
        body, media_type = _body(options)
        self.method: Final[str] = _method(options.get("method"), has_body=body is not None)
        self.body: Final = body or b""
        self.headers: Final = _headers(options.get("headers") or {}, media_type)
        self.kind: Final = _kind(options.get("kind", Kind.LINK))
        self.is_secret: Final = bool(options.get("secret"))
        if self.is_secret and not (self.body or self.headers):
            raise BadInput("a request is secret by its body or its headers: a URL stands in archive, index and log")

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.url}>"

    @property
    def parts(self) -> RequestParts | None:
        """What it has besides its URL, as links carry it; None for a plain GET."""
        method = _method(self.method, has_body=bool(self.body))  # who made it may have changed it since
        if method == "GET" and not self.headers:
            return None
        headers = _headers(dict(self.headers), "")
        return RequestParts(request_digest(method, self.body), method, self.body, headers, self.is_secret)


def request_digest(method: str, body: bytes) -> bytes:
    """What tells a request from others for the same URL; empty for a GET, whatever its headers."""
    return b"" if method == "GET" else sha256(method.encode() + b"\n" + body).digest()[:_DIGEST_BYTES]


def _kind(kind: object) -> Kind:
    if kind not in KINDS:
        raise BadInput(f"a request is found as a {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {kind!r}")
    return Kind(str(kind))


def _method(method: object, *, has_body: bool) -> str:
    if method is None:
        return "POST" if has_body else "GET"
    name = str(method).upper()
    if name not in METHODS:
        raise BadInput(f"a request is a GET or a POST, not {method!r}")
    if has_body and name == "GET":
        raise BadInput("a GET has nothing to send: put it into its URL, or use POST")
    return name


def _body(options: Mapping[str, Any]) -> tuple[bytes | None, str]:
    """What is to be sent, if anything, and its media type."""
    data, media_type = options.get("data"), ""
    if "json" in options:
        if data is not None:
            raise BadInput("a request has data or json, not both")
        body, media_type = _json(options["json"]), "application/json"
    elif data is None:
        return None, ""
    elif isinstance(data, bytes):
        body, media_type = data, "application/octet-stream"
    elif isinstance(data, str):
        body, media_type = _text(data), "text/plain; charset=utf-8"
    else:
        body, media_type = _form(data), "application/x-www-form-urlencoded"
    if len(body) > MAX_BODY_BYTES:
        raise BadInput(f"the body of a request has at most {MAX_BODY_BYTES:,} bytes, not {len(body):,}")
    return body, media_type


def _json(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"the json of a request cannot be written: {error}") from error


def _text(data: str) -> bytes:
    try:
        return str.encode(data)
    except UnicodeEncodeError as error:  # half a character, as a broken decoder leaves it
        raise BadInput(NO_UTF8) from error


def _form(data: object) -> bytes:
    pairs = list(data.items()) if isinstance(data, Mapping) else data
    try:
        return urlencode(pairs, doseq=True).encode()  # type: ignore[arg-type]  # whatever was given
    except UnicodeEncodeError as error:
        raise BadInput(NO_UTF8) from error
    except (TypeError, ValueError) as error:
        raise BadInput("the data of a request is a mapping, a list of pairs, a text or bytes") from error


def _headers(given: Mapping[str, str], media_type: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, Mapping):
        raise BadInput("the headers of a request are a mapping of names to values")
    headers = {}
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise BadInput(f"a request's header {name!r} and its value are texts")
        if not _HEADER_NAME.fullmatch(name) or _UNSENDABLE.search(value):
            raise BadInput(f"a request cannot send the header {name!r}")
        if name.lower() in _NOT_YOURS:
            raise BadInput(f"the header {name!r} is weft's own to send")
        headers[name.lower()] = (name, value.strip())
    if media_type:
        headers.setdefault("content-type", ("Content-Type", media_type))
    if sum(len(name) + len(value) for name, value in headers.values()) > MAX_HEADERS_BYTES:
        raise BadInput(f"the headers of a request have at most {MAX_HEADERS_BYTES:,} characters")
    return tuple(headers.values())
