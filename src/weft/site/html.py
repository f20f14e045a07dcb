"""A report as one page to send to somebody: it opens from disk and asks nobody for anything.

    page/template.html  +  style.css  +  *.js  +  the report as JSON  ──▶  one file

What a crawled site says is data to this page: its script writes text nodes only, browsers are told to run no other
script (by its hash) and to refuse markup made from strings (trusted types), and the JSON has no `<` that could end it.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import BinaryIO, Final

import msgspec

from weft.site.findings import SiteReport
from weft.site.page_data import page_data

_SCRIPTS: Final = ("data.js", "elements.js", "plots.js", "tables.js", "report.js")


def write_html(report: SiteReport, out: BinaryIO) -> None:
    """The whole page."""
    style, script = _part("style.css"), b"".join(map(_part, _SCRIPTS))
    head, tail = _part("template.html").split(b"@data@")
    head = head.replace(b"@policy@", _policy(style, script)).replace(b"@style@", style)
    out.write(head)
    out.write(msgspec.json.encode(page_data(report)).replace(b"<", b"\\u003c"))
    out.write(tail.replace(b"@script@", script))


def _part(name: str) -> bytes:
    return (files("weft.site") / "page" / name).read_bytes()


def _policy(style: bytes, script: bytes) -> bytes:
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ).encode()


def _hash(text: bytes) -> str:
    return f"'sha256-{b64encode(sha256(text).digest()).decode()}'"
