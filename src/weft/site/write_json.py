"""The whole site report as one JSON object, written piece by piece: it may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, Final

import msgspec

from weft.site.report import SiteFindings

_END: Final = b"[]}"  # each struct ends with the list that is written in its place
_encode = msgspec.json.Encoder().encode


def write_json(findings: SiteFindings, out: BinaryIO) -> None:
    """As `msgspec.json.encode` would write a `SiteReport` with everything in it."""
    _open_list(out, findings.head([]))
    for number, kind in enumerate(findings.kinds()):
        out.write(b"," * (number > 0))
        _open_list(out, findings.section(kind, most_findings=0, all_fixed=True))
        for at, (subject, finding) in enumerate(findings.subjects(kind)):
            out.write(b"," * (at > 0))
            _open_list(out, finding)
            _write_list(out, findings.referrers(subject))
            out.write(b"}")
        out.write(b"]}")
    out.write(b"]}\n")


def _open_list(out: BinaryIO, struct: msgspec.Struct) -> None:
    """A struct up to the beginning of its last list, which is empty."""
    encoded = _encode(struct)
    assert encoded.endswith(_END)
    out.write(encoded[:-2])


def _write_list(out: BinaryIO, items: Iterable[object]) -> None:
    for number, item in enumerate(items):
        out.write(b"," * (number > 0) + _encode(item))
    out.write(b"]")
