"""The contest of cleaners: its pages, its turns, and how like their outputs are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.clean.contest import PEERS_SAY, job_of, output_of
from bench.clean.contestant import take_turn
from bench.clean.likeness import in_common, like, read_html, words_of
from bench.clean.pages import LARGEST_BYTES, MOST_OF_ONE, SMALLEST_BYTES, Corpus, NoPages, Page, origin_of, read_corpus
from bench.clean.weft_cleaners import cleaners

ROOT = Path(__file__).parents[2]
CORPUS = Corpus([Page("a.html", "<p>one"), Page("b.html", "<p>two")], {"some-doc": 2})
PAGE = "<html><head><title>T</title></head><body><script>s</script><!-- c --><p>Some <b>words</b></p></body></html>"


def test_pages_repeat_under_other_addresses_until_there_are_enough() -> None:
    found = list(CORPUS.repeated(5))
    assert [page.content for page in found] == ["<p>one", "<p>two", "<p>one", "<p>two", "<p>one"]
    assert len({page.url for page in found}) == 5


def test_only_whole_pages_of_the_right_size_are_taken(tmp_path: Path) -> None:
    folder = tmp_path / "usr/share/doc/some-doc/html"
    folder.mkdir(parents=True)
    for name, size in (("small", SMALLEST_BYTES - 1), ("fits", SMALLEST_BYTES), ("large", LARGEST_BYTES + 1)):
        (folder / f"{name}.html").write_text("x" * size)
    (folder / "nul.html").write_text("\0" * SMALLEST_BYTES)
    (folder / "other.txt").write_text("x" * SMALLEST_BYTES)
    corpus = read_corpus(tmp_path)
    assert [page.url for page in corpus.pages] == ["usr/share/doc/some-doc/html/fits.html"]
    assert corpus.origins == {"some-doc": 1}
    assert corpus.mean_bytes == SMALLEST_BYTES


def test_no_package_gives_more_than_its_share(tmp_path: Path) -> None:
    for origin, count in (("large-doc", 4 * MOST_OF_ONE), ("small-doc", MOST_OF_ONE)):
        folder = tmp_path / "usr/share/doc" / origin / "html"
        folder.mkdir(parents=True)
        for number in range(count):
            (folder / f"{number}.html").write_text("x" * SMALLEST_BYTES)
    corpus = read_corpus(tmp_path)
    assert corpus.origins == {"large-doc": MOST_OF_ONE, "small-doc": MOST_OF_ONE}
    first = [origin_of(page.url) for page in corpus.pages[:MOST_OF_ONE]]
    assert first.count("small-doc") > MOST_OF_ONE // 3  # mixed from the beginning


def test_a_folder_without_pages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoPages):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("path", "origin"),
    [("usr/share/doc/git-doc/git.html", "git-doc"), ("usr/share/gtk-doc/html/glib/a.html", "gtk-doc")],
)
def test_a_page_belongs_to_a_package(path: str, origin: str) -> None:
    assert origin_of(path) == origin


def test_all_cleaners_get_the_same_pages_and_weft_s_own_rules() -> None:
    job = job_of(CORPUS, 10)
    assert job["pages"] == ["<p>one", "<p>two"]
    assert "script" in job["rules"]["paper"]["kill"]
    assert job["rules"]["paper"]["unwrap"] == ["form"]


def test_weft_has_a_cleaner_for_each_output() -> None:
    found = cleaners(job_of(CORPUS, 1))
    assert {output_of(name) for name in found} == set(PEERS_SAY)
    assert "<b>words</b>" in found["paper"](PAGE)
    assert "script" not in found["paper"](PAGE)
    assert "Some words" in found["text"](PAGE)


def test_a_turn_cleans_all_pages_at_least_once() -> None:
    told, outputs = take_turn(str.upper, ["a", "b"], 0.0)
    assert told["pages"] == 2
    assert outputs == ["A", "B"]


def test_the_same_output_has_all_in_common() -> None:
    found = like([PAGE], [PAGE], is_html=True)
    assert (found.words, found.tags) == (1.0, 1.0)


def test_words_in_common_are_counted_as_often_as_they_come() -> None:
    assert in_common(words_of("a a b"), words_of("a c c")) == pytest.approx(1 / 3)


def test_where_a_link_of_markdown_leads_is_no_word_of_the_page() -> None:
    assert words_of('see [the page](http://a.example/b "B") now') == words_of("see the page now")


def test_an_output_without_html_and_body_is_as_like_as_one_with_them() -> None:
    assert read_html("<html><body><p>a</p></body></html>") == read_html("<p>a</p>")


def test_an_empty_output_has_nothing_in_common_with_a_page() -> None:
    assert like(["<p>a"], [""], is_html=True).words == 0.0


def test_peers_of_both_benches_can_live_in_one_environment() -> None:
    crawlers, others = (_pins(ROOT / "bench" / name / "requirements.txt") for name in ("peers", "clean"))
    assert others["trafilatura"]
    shared = crawlers.keys() & others.keys()
    assert shared
    assert {name: crawlers[name] for name in shared} == {name: others[name] for name in shared}


def _pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", path.read_text().lower(), re.MULTILINE))
