"""What counts in the bench of extractors: words that a reader of the article sees."""

from __future__ import annotations

from bench.article.corpus import Labels
from bench.article.cpu import table as cpu_table
from bench.article.score import tally_of, words_of_markdown


def test_a_snippet_is_found_across_marks_and_not_in_what_is_no_text() -> None:
    markdown = (
        "# A *head*line\n\n![alternative \\[text\\]](http://h/a_(b).png)\n\n"
        'One [linked](http://h/x "title") word, [![in a link](a.png)](b) two \\* three.'
    )
    words = words_of_markdown(markdown)
    assert "One linked word," in words
    assert "two * three." in words
    assert "A headline" in words
    assert "alternative [text]" in words
    assert not any(hidden in words for hidden in ("http", "title", ".png"))


def test_precision_and_recall_are_of_snippets() -> None:
    labels = Labels("page.html", ["here", "there", "gone"], ["menu", "advert"])
    tally = tally_of([(labels, "here and\nthere, with a menu")])
    assert (tally.found, tally.missed, tally.wrong) == (2, 1, 1)
    assert (tally.precision, tally.recall, tally.f) == (2 / 3, 2 / 3, 4 / 6)


def test_the_ratio_of_two_extractors_is_that_of_their_medians() -> None:
    told = cpu_table({"weft": [4.0, 5.0, 90.0], "trafilatura": [20.0, 26.0, 25.0]}, 198)
    assert "| weft | 198 | 5.00 | 4.00 | 90.00 |" in told
    assert told.endswith("weft takes 1/5.0 of trafilatura's CPU")
