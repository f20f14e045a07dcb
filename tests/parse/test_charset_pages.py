"""158 pages in 16 languages, re-encoded in 17 charsets: whatever the labels say, the same text comes out.

Each page goes into every charset that has its letters. Where people do write the language in that charset, the page is
*at home*, and its bytes alone tell what they are. A Russian page in Shift_JIS can be written, but is not; such pages
need their label. The pages are short (100 to 200 letters); longer ones are easier.
"""

from __future__ import annotations

import pytest

from tests.parse.charset_pages import CODECS, HOMES, encodable_in, sources
from weft.parse import decode

# Of the pages at home in a charset, without label and language: how many are right, where it is not all of them.
# Hungarian differs from windows-1252 in two letters only, and they are rare.
RIGHT_WITHOUT_LANGUAGE = {"windows-1250": (26, 30), "windows-1252": (37, 38)}


def test_there_are_158_pages_each_in_the_charsets_of_its_language() -> None:
    assert len(sources()) == 158
    assert len(CODECS) == 17
    assert all(HOMES[source.language] <= set(source.charsets()) for source in sources())
    assert sum(len(encodable_in(charset)) for charset in CODECS) == 1147


@pytest.mark.parametrize("charset", CODECS)
def test_pages_labelled_by_the_header_decode_to_the_same_text(charset: str) -> None:
    for source in encodable_in(charset):
        text = source.text()
        assert decode(text.encode(CODECS[charset]), f"text/html; charset={charset}") == (text, charset)


@pytest.mark.parametrize("charset", CODECS)
def test_pages_labelled_by_meta_decode_to_the_same_text(charset: str) -> None:
    for source in encodable_in(charset):
        text = source.text(label=charset)
        assert decode(text.encode(CODECS[charset]), "text/html") == (text, charset)


@pytest.mark.parametrize("charset", CODECS)
def test_a_header_that_says_utf_8_of_every_page_does_not_harm_those_with_a_right_meta(charset: str) -> None:
    for source in encodable_in(charset):
        text = source.text(label=charset)
        assert decode(text.encode(CODECS[charset]), "text/html; charset=utf-8") == (text, charset)


@pytest.mark.parametrize("charset", CODECS)
@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "text/html"])
def test_pages_at_home_are_right_when_labelled_utf_8_or_not_at_all(charset: str, content_type: str) -> None:
    for source in encodable_in(charset):
        if source.is_at_home_in(charset):
            text = source.text()
            assert decode(text.encode(CODECS[charset]), content_type)[0] == text


@pytest.mark.parametrize("charset", CODECS)
def test_without_label_and_language_nearly_all_pages_at_home_are_right(charset: str) -> None:
    texts = [source.text(says_language=False) for source in encodable_in(charset) if source.is_at_home_in(charset)]
    right = sum(decode(text.encode(CODECS[charset]))[0] == text for text in texts)
    least, of = RIGHT_WITHOUT_LANGUAGE.get(charset, (len(texts), len(texts)))
    assert len(texts) == of
    assert right >= least


@pytest.mark.parametrize("charset", CODECS)
def test_pages_cut_at_a_limit_keep_their_charset(charset: str) -> None:
    """In the middle of a character or not; what came before it is right."""
    for source in encodable_in(charset):
        if not source.is_at_home_in(charset):
            continue
        text = source.text(label="utf-8")
        body = text[: text.index('</p><p class="foot">')].encode(CODECS[charset])
        for cut_bytes in range(6):
            decoded, _ = decode(body[: len(body) - cut_bytes], "text/html")
            assert text.startswith(decoded.rstrip("\ufffd"))
