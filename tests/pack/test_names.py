"""Names that may be in a pack, and those that may not."""

from __future__ import annotations

import pytest

from weft.pack.names import Tree, refusal_of


@pytest.mark.parametrize(
    "path",
    [
        "example.org/index.html",
        "example.org/File%3Aé.svg",
        "a/..b/c..",
        "console/auxiliary.html",
        "h/.weft/x",  # only at the top it is weft's own
        "a" * 255,
        "日本/語",
    ],
)
def test_ordinary_names_may_be_packed(path: str) -> None:
    assert refusal_of(path) == ""


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "C:/x",
        "c:x",
        "..",
        "../x",
        "a/../x",
        "a/./x",
        "a//x",
        "a/",
        "a\\..\\x",
        "a/b\0c",
        "a/b\nc",
        "a/\x7f",
        "h/con",
        "h/AUX.html",
        "h/com1.txt",
        "nul/x",
        ".weft/manifest.jsonl",
        ".WEFT/x",
        "a" * 256,
        "é" * 128,
        "a/" * 201 + "b",
        "/".join(["a" * 200] * 21),
        "a/\udcff",
    ],
)
def test_names_that_lead_elsewhere_or_mean_something_else_are_refused(path: str) -> None:
    assert refusal_of(path)


@pytest.mark.parametrize(
    "paths",
    [
        ["a/X", "a/x"],
        ["A/x", "a/y"],
        ["a/\u00e9", "a/e\u0301"],
        ["a/STRASSE", "a/straße"],
        ["B", "b/x"],
        ["a/x", "b/y", "B/z"],
    ],
)
def test_names_that_some_system_takes_for_one_are_refused(paths: list[str]) -> None:
    tree = Tree()
    assert any(tree.refusal_of(path) for path in sorted(paths))


def test_the_same_name_in_different_folders_is_no_clash() -> None:
    tree = Tree()
    paths = sorted(["a.b", "a/x", "a/y/x", "a/y/z", "a/y.z", "a0/x", "b/x", "b/y/x"])
    assert [tree.refusal_of(path) for path in paths] == [""] * len(paths)
