"""Scripts, styles and comments are blanked."""

from __future__ import annotations

import pytest

from weft.page.needles import MAX_HITS
from weft.page.unseen import blanked


def blank(html: str) -> tuple[str, int]:
    return blanked(html.encode(), html)


@pytest.mark.parametrize(
    ("html", "seen"),
    [
        ("a<script>x</script>b", "a|b"),
        ("a<script>x <!-- </script>b", "a|b"),
        ("a<!-- <script> -->b", "a|b"),
        ("a<style>x</style ><!-- y -->b", "a||b"),
        ("a<!-->b<!--->c", "a|b|c"),
        ("a<script>x", "a|"),
        ("a<!-- x", "a|"),
        ("a<style>x</style", "a|"),
        ("é<script>爬虫</script>ü", "é|ü"),
    ],
)
def test_what_is_unseen_becomes_an_empty_declaration_of_the_same_length(html: str, seen: str) -> None:
    page, unseen_chars = blank(html)
    assert len(page) == len(html)
    parts = [part.rpartition(">")[2] for part in page.split("<!")]
    assert "|".join(parts) == seen
    assert unseen_chars == len(html) - len(seen.replace("|", ""))


def test_a_page_without_any_stays_as_it_is() -> None:
    assert blank("<p>a") == ("<p>a", 0)


def test_what_comes_behind_more_comments_than_can_be_looked_at_is_unseen() -> None:
    page, _ = blank("<!---->" * MAX_HITS + "end")
    assert "end" not in page
