"""Pages made of whatever is nasty, judged by the trees of the page before and after."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.mirror.nasty_pages import NASTY_PAGES
from tests.mirror.tree_judge import PAGE, same_but_links, saved
from weft.mirror.rewrite import Syntax, rewrite


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(NASTY_PAGES)
def test_a_page_is_the_same_but_its_links_and_these_lead_where_they_led(page: str) -> None:
    kept = rewrite(page.encode(), Syntax.HTML, "utf-8", PAGE, saved).body.decode()
    same_but_links(page, kept)


@pytest.mark.parametrize(
    ("charset", "codec"),
    [("utf-16le", "utf-16-le"), ("shift_jis", "cp932"), ("iso-2022-jp", "iso2022_jp"), ("gb18030", "gb18030")],
)
@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(page=NASTY_PAGES)
def test_the_charset_makes_no_difference(charset: str, codec: str, page: str) -> None:
    page = page.replace("é", "表").replace("?&eacute;", "")  # a query depends on the charset
    in_utf_8 = rewrite(page.encode(), Syntax.HTML, "utf-8", PAGE, saved)
    other = rewrite(page.encode(codec), Syntax.HTML, charset, PAGE, saved)
    assert other.body.decode(codec) == in_utf_8.body.decode()
    assert other.edits == in_utf_8.edits
