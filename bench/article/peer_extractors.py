# mypy: disable-error-code="import-untyped,import-not-found"
"""Other extractors, each with the settings by which it is usually measured. Runs in the peers' environment."""

from __future__ import annotations

import trafilatura
from bs4 import BeautifulSoup
from readability import Document
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree

from bench.article.extractor import Extract


def extractors() -> dict[str, Extract]:
    """By name."""
    return {
        "trafilatura": lambda content, _url: _trafilatura(content, fast=False),
        "trafilatura fast": lambda content, _url: _trafilatura(content, fast=True),
        "readability-lxml": _readability,
        "resiliparse": _resiliparse,
        "BeautifulSoup's text": lambda content, _url: _soup_text(content),
    }


def _trafilatura(content: bytes, *, fast: bool) -> str:
    return trafilatura.extract(content, fast=fast, include_comments=False, include_tables=True) or ""


def _readability(content: bytes, _url: str) -> str:
    return _soup_text(Document(_decoded(content)).summary())


def _resiliparse(content: bytes, _url: str) -> str:
    text: str = extract_plain_text(HTMLTree.parse(_decoded(content)), main_content=True)
    return text


def _decoded(content: bytes) -> str:
    text: str = bytes_to_str(content, detect_encoding(content))
    return text


def _soup_text(content: bytes | str) -> str:
    text: str = BeautifulSoup(content, features="lxml").get_text(separator=" ", strip=True)
    return text
