"""The text of a PDF, whatever the PDF does to who reads it."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

import weft
from weft.cli.get_page import written_as
from weft.errors import BadInput
from weft.page import pdf_text as module
from weft.page.pdf_text import pdf_text

PDF_HEADERS = {"Content-Type": "application/pdf"}


def made_pdf(*pages: str) -> bytes:
    """A PDF with a line of text a page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    body, places = b"%PDF-1.4\n", []
    for number, written in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{written}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return body + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


def test_a_pdf_has_the_text_of_its_pages() -> None:
    assert pdf_text(made_pdf("Bees make honey", "and wax")).split("\n") == ["Bees make honey", "and wax"]


@pytest.mark.parametrize("body", [b"", b"%PDF-1.4\n", b"%PDF-1.7" + b"\0\xff" * 5_000, made_pdf("a")[:200]])
def test_a_broken_pdf_has_no_text(body: bytes) -> None:
    assert pdf_text(body) == ""


def test_what_ends_the_reader_costs_what_comes_behind_it_and_no_more(tmp_path: Path) -> None:
    crash = tmp_path / "crash.py"
    crash.write_text("import os, signal\nprint('page 1', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    assert pdf_text(b"%PDF-", crash) == "page 1"


def test_a_reader_that_never_ends_is_ended(tmp_path: Path) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("print('page 1', flush=True)\nwhile True: pass\n")
    assert pdf_text(b"%PDF-", endless, within_s=0.5) == "page 1"


def test_a_page_that_is_a_pdf_has_its_text() -> None:
    page = weft.Page.from_html(made_pdf("Bees make honey"), headers=PDF_HEADERS)
    assert (page.detected_type, page.text, page.html) == ("application/pdf", "Bees make honey", "")
    assert written_as(page, "text") == b"Bees make honey\n"


def test_without_the_library_a_person_is_told_and_a_program_gets_no_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    module._say_once.cache_clear()
    page = weft.Page.from_html(made_pdf("Bees"), headers=PDF_HEADERS)
    with pytest.raises(BadInput, match="install pypdfium2"):
        written_as(page, "text")
    with caplog.at_level(logging.WARNING, "weft"):
        assert page.text == ""
        assert pdf_text(b"%PDF-") == ""
    assert len(caplog.records) == 1
    module._say_once.cache_clear()


def test_another_form_of_a_pdf_is_refused_as_before() -> None:
    page = weft.Page.from_html(made_pdf("Bees"), headers=PDF_HEADERS)
    with pytest.raises(BadInput, match="is no text"):
        written_as(page, "markdown")


@pytest.mark.parametrize("said", ["text/html", "text/plain", "application/octet-stream"])
def test_a_pdf_that_is_served_as_something_else_is_read_as_one(said: str) -> None:
    page = weft.Page.from_html(made_pdf("Bees make honey"), headers={"Content-Type": said})
    assert (page.text, page.html, page.article(), page.is_html) == ("Bees make honey", "", "", False)
    assert written_as(page, "text") == b"Bees make honey\n"


def test_the_library_is_found_wherever_it_was_found_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pypdfium2").mkdir()
    (tmp_path / "pypdfium2" / "__init__.py").touch()
    reader = tmp_path / "reader.py"
    reader.write_text("import sys\nprint(sys.argv[1])\n")
    monkeypatch.syspath_prepend(str(tmp_path))  # as the user's own folder of packages is
    monkeypatch.delitem(sys.modules, "pypdfium2", raising=False)
    assert pdf_text(b"%PDF-", reader) == str(tmp_path)
