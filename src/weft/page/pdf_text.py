"""The text of a PDF, read by PDFium in a process of its own (`pdf_reader`): an extra, `pip install pypdfium2`.

pypdfium2 was taken and not pdfminer.six because it reads the same words many times as fast: 1.1 to 3.9 ms a page of
nine manuals of Debian packages, where pdfminer takes 25 to 435. A process costs some 60 ms; PDFs are few, and large.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weft.missing_library import how_to_install

PDF: Final = "application/pdf"
LIBRARY: Final = "pypdfium2"
WITHIN_S: Final = 30.0  # by the clock: a process may also wait

_READER: Final = Path(__file__).with_name("pdf_reader.py")
_log: Final = logging.getLogger("weft")


def pdf_text(body: bytes, reader: Path = _READER, within_s: float = WITHIN_S) -> str:
    """The text of a PDF, as far as it could be read; without the library none, which is logged once."""
    library = find_spec(LIBRARY)
    if library is None or library.origin is None:
        _say_once()
        return ""
    try:
        ended = subprocess.run(
            [sys.executable, "-I", str(reader), str(Path(library.origin).parent.parent)],
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=within_s,
            check=False,
        )
    except subprocess.TimeoutExpired as slow:
        return _text(slow.stdout)
    except OSError:  # no process can be started
        return ""
    return _text(ended.stdout)


def can_read_pdf() -> bool:
    """Whether the library is there."""
    return find_spec(LIBRARY) is not None


def how_to_read_pdf() -> str:
    """A sentence for somebody who asked for the text of a PDF."""
    return f"the text of a PDF is read by {LIBRARY}, which is not there: {how_to_install(LIBRARY)}"


@cache
def _say_once() -> None:
    _log.warning("PDFs have no text here: %s", how_to_read_pdf())


def _text(out: bytes | None) -> str:
    return (out or b"").decode(errors="replace").strip()
