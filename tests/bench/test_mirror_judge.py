from __future__ import annotations

from pathlib import Path

import pytest

from bench.mirror_judge import Judged, judge
from bench.truth import all_links, walk

ORIGIN = "http://127.0.1.1:8000"
START = f"{ORIGIN}/index.html"
FORBIDDEN = ("/private/",)
SITE = {
    "index.html": '<link rel="stylesheet" href="/style.css"><a href="#top">up</a> <a href="one">1</a>'
    ' <img src="picture.png"> <a href="/private/x.html">2</a> <a href="gone.html">3</a> <a href="http://other.test/">4</a>',
    "one": "",
    "style.css": "/* url(nothing.png) */ @import url('more.css'); p { background: url( \"dot.gif\" ) }",
    "more.css": "",
    "dot.gif": "",
    "picture.png": "",
    "private/x.html": "",
}
GOOD = SITE | {
    "index.html": '<link rel="stylesheet" href="style.css"><a href="index.html#top">up</a> <a href="one.html">1</a>'
    f' <img src="picture.png"> <a href="{ORIGIN}/private/x.html">2</a> <a href="gone.html">3</a>'
    ' <a href="http://other.test/">4</a>',
    "one.html": "",
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def truth(tmp_path: Path) -> dict[str, list[str]]:
    return dict(walk(written(tmp_path / "site", SITE), START, all_links, FORBIDDEN))


def judged(tmp_path: Path, truth: dict[str, list[str]], files: dict[str, str]) -> Judged:
    written(tmp_path / "mirror" / "127.0.1.1", files)
    return judge(tmp_path / "mirror", START, truth, FORBIDDEN)


def test_the_truth_of_a_mirror_has_what_pages_need_and_not_what_robots_txt_forbids(truth: dict[str, list[str]]) -> None:
    assert set(truth) == {
        f"{ORIGIN}/{path}" for path in ("index.html", "one", "style.css", "more.css", "dot.gif", "picture.png")
    }


def test_a_mirror_in_which_every_link_works_reaches_the_truth(tmp_path: Path, truth: dict[str, list[str]]) -> None:
    found = judged(tmp_path, truth, GOOD)
    assert (found.reached, found.broken) == (frozenset(truth), 0)


def test_what_is_not_there_is_not_reached_and_makes_its_page_broken(
    tmp_path: Path, truth: dict[str, list[str]]
) -> None:
    found = judged(tmp_path, truth, {name: text for name, text in GOOD.items() if name != "more.css"})
    assert frozenset(truth) - found.reached == {f"{ORIGIN}/more.css"}
    assert found.broken == 1
    assert "more.css" in found.examples[0]


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ('href="one.html"', f'href="{ORIGIN}/one"'),  # leads out of the mirror to what is in it
        ('href="style.css"', 'href="/style.css"'),  # from the root of the disk
        (f"{ORIGIN}/private/x.html", "private/y.html"),  # was not saved, and is to be had only on the web
    ],
)
def test_a_link_that_does_not_work_makes_its_page_broken(
    tmp_path: Path, truth: dict[str, list[str]], good: str, bad: str
) -> None:
    assert good in GOOD["index.html"]
    found = judged(tmp_path, truth, GOOD | {"index.html": GOOD["index.html"].replace(good, bad)})
    assert found.broken == 1


def test_a_page_with_other_links_than_it_had_is_broken(tmp_path: Path, truth: dict[str, list[str]]) -> None:
    found = judged(tmp_path, truth, GOOD | {"index.html": GOOD["index.html"] + '<a href="one.html">more</a>'})
    assert (found.broken, found.reached) == (1, frozenset({START}))


def test_a_folder_without_a_first_page_says_so(tmp_path: Path, truth: dict[str, list[str]]) -> None:
    found = judge(tmp_path / "site", START, truth)
    assert not found.reached
    assert "no first page" in found.examples[0]
