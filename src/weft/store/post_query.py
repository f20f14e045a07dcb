"""The key of a POST in a CDXJ index, as pywb looks it up: what was posted stands in it as if it had been asked for.

    POST /search, q=tea pot   →   org,example)/search?__wb_method=post&q=tea%20pot

A form's fields are taken as they are, JSON by the names of its values, and everything else as base64. A body that is a
secret is left out: such a request is found by its URL and method alone.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import Final
from urllib.parse import quote, unquote_plus, urlencode

from weft.regex import regex
from weft.types import RequestParts
from weft.url import surt

MAX_QUERY_CHARS: Final = 4096
MAX_JSON_VALUES: Final = 100_000
_NO_BREAKS: Final = dict.fromkeys(map(ord, "\r\n\t"))
_BARE: Final = regex(r"[^ -~]")


def key_of(url: str, parts: RequestParts | None) -> str:
    """The key of a request for a canonical URL."""
    if parts is None or parts.method == "GET":
        return surt(url)
    query = post_query(parts)
    appended = f"__wb_method={parts.method}{f'&{query}' if query else ''}"
    # As `surt` reads any URL: without line breaks, and up to what would be a fragment.
    appended = _BARE.sub(_escaped, appended.translate(_NO_BREAKS).rstrip(" ").partition("#")[0])
    return surt(f"{url}{'&' if '?' in url else '?'}{appended}")


def _escaped(letter: re.Match[str]) -> str:
    return quote(letter[0])


def post_query(parts: RequestParts) -> str:
    """What was posted, as the arguments of a URL."""
    if not parts.body or parts.is_secret:
        return ""
    types = [value for name, value in parts.headers if name.lower() == "content-type"]
    return _query(types[0] if types else "", parts.body)[:MAX_QUERY_CHARS]


def _query(media_type: str, body: bytes) -> str:
    if media_type.startswith("application/x-www-form-urlencoded"):
        try:
            return unquote_plus(body.decode())
        except UnicodeDecodeError:
            return _as_bytes(body)
    if media_type.startswith(("application/json", "text/plain")):
        try:
            return _json_query(body)
        except (ValueError, RecursionError):
            return "" if media_type.startswith("application/json") else _as_bytes(body)
    if media_type.startswith("multipart/"):
        return _multipart_query(media_type, body) or _as_bytes(body)
    return _as_bytes(body)


def _multipart_query(media_type: str, body: bytes) -> str:
    """The fields of a form with files, by their names."""
    from email.parser import BytesParser  # for those few only
    from email.policy import HTTP

    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {media_type}\r\n\r\n".encode() + body)
    if not message.is_multipart():
        return ""
    fields = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        value = payload if isinstance(payload, bytes) else b""
        fields.append((str(name), value if part.get_filename() else value.decode("utf-8", "replace")))
    return urlencode(fields)


def _as_bytes(body: bytes) -> str:
    return f"__wb_post_data={b64encode(body).decode()}"


def _json_query(body: bytes) -> str:
    """Each value by the nearest name around it; the second of a name as `name.2_`."""
    found: dict[str, str] = {}
    times: dict[str, int] = {}
    waiting: list[tuple[str, object]] = [("", json.loads(body))]
    while waiting and len(found) < MAX_JSON_VALUES:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += reversed(value.items())
        elif isinstance(value, list):
            waiting += ((name, one) for one in reversed(value))
        elif name:
            key = name
            if name in found:
                times[name] = times.get(name, 1) + 1
                key = f"{name}.{times[name]}_"
            found[key] = _text(value)
    return urlencode(found)


def _text(value: object) -> str:
    """As JavaScript writes it."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
