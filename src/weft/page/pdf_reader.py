"""The process that reads one PDF: run by its path, so that it loads nothing of weft.

The PDF comes on standard input, its text goes to standard output. The argument is the folder that PDFium's library is
in: an isolated Python does not look where `pip install --user` puts it. PDFium is native code, and a PDF may be made to
harm it; here a crash, an endless loop or a gigabyte of memory ends this process, and costs the text of one page.
"""

from __future__ import annotations

import resource
import sys
from typing import Final

MOST_PAGES: Final = 2_000
MOST_CHARS: Final = 10_000_000
MOST_CPU_S: Final = 20
MOST_MEMORY_BYTES: Final = 1024 * 1024 * 1024
UNREADABLE: Final = 3  # the exit code for what is no PDF, or has a password

# Where a word is divided at the end of a line, PDFium writes this in place of the hyphen.
_DIVISION: Final = "\ufffe"


def main() -> int:
    """Read the PDF and write its text, page by page, as far as the bounds let it."""
    _bound(resource.RLIMIT_CPU, MOST_CPU_S)
    _bound(resource.RLIMIT_AS, MOST_MEMORY_BYTES)
    _bound(resource.RLIMIT_CORE, 0)
    sys.path += sys.argv[1:]
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(sys.stdin.buffer.read())
    except pypdfium2.PdfiumError:
        return UNREADABLE
    chars = 0
    for number in range(min(len(document), MOST_PAGES)):
        text = _text_of(document, number)
        chars += len(text)
        sys.stdout.buffer.write(text.encode(errors="replace") + b"\n")
        sys.stdout.buffer.flush()  # what comes after it may end the process
        if chars >= MOST_CHARS:
            break
    return 0


def _text_of(document: object, number: int) -> str:
    import pypdfium2

    try:
        page = document[number]  # type: ignore[index]
        shown = page.get_textpage()
        text: str = shown.get_text_range()[:MOST_CHARS]
        shown.close()
        page.close()
    except pypdfium2.PdfiumError:  # one page is broken
        return ""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(_DIVISION + "\n", "").replace(_DIVISION, "")
    return "\n".join(line.rstrip() for line in text.split("\n")).replace("\0", "")


def _bound(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    sys.exit(main())
