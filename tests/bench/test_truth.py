from __future__ import annotations

from pathlib import Path

from bench.truth import reachable

ORIGIN = "http://127.0.1.1:8000"


def test_the_truth_is_what_links_lead_to_and_files_answer(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    pages = {
        "index.html": '<a href="one.html#part">1</a> <a href="inner">2</a> <a href="gone.html">3</a>'
        ' <a href="http://127.0.1.2:8000/two.html">4</a> <img src="picture.png">',
        "one.html": '<meta http-equiv="refresh" content="0; url=two.html">',
        "two.html": "",
        "inner/index.html": '<area href="../three%20.html">',
        "three .html": "",
        "alone.html": "",
        "picture.png": "",
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    assert reachable(tmp_path, f"{ORIGIN}/index.html") == {
        f"{ORIGIN}/{path}" for path in ("index.html", "one.html", "two.html", "inner/", "three%20.html")
    }
