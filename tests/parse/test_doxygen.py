"""What Doxygen's scripts load by names that they put together."""

from __future__ import annotations

from weft.parse.doxygen import MOST_FILES, doxygen_names, next_results

TREE = """var NAVTREE =
[
  [ "X", "index.html", [
    [ "Classes", "annotated.html", [
      [ "A", "a.html", "annotated_dup" ],
      [ "No page", null, "b_dup" ] ] ],
    [ "Plain", "plain.html", null ]
  ] ]
];
var NAVTREEINDEX =
[
"annotated.html",
"classB.html"
];
"""


def test_the_tree_of_contents_names_its_branches_and_its_index() -> None:
    assert list(doxygen_names(TREE)) == ["annotated_dup.js", "b_dup.js", "navtreeindex0.js", "navtreeindex1.js"]


def test_the_search_names_a_script_for_each_letter() -> None:
    found = list(doxygen_names('indexSectionsWithContent =\n{\n  0: "ab"\n}; indexSectionNames = {\n 0: "all"\n}'))
    assert [name for name in found if name.endswith(".js")] == ["all_0.js", "all_1.js"]
    assert "all_0.html" in found


def test_a_page_of_results_names_the_next_one() -> None:
    assert next_results("https://a.org/search/all_f.html", "createResults();") == "all_10.html"
    assert next_results("https://a.org/search/all_f.html", "") is None
    assert next_results("https://a.org/search/x.html", "createResults();") is None


def test_other_scripts_name_nothing() -> None:
    assert list(doxygen_names('x = ["a", "b.html", "c"]; y = {0: "all"}')) == []


def test_a_hostile_index_is_cut() -> None:
    names = "indexSectionNames = {" + ",".join(f'{n}: "a{n}"' for n in range(999)) + "}"
    letters = "indexSectionsWithContent = {" + ",".join(f'{n}: "{"x" * 99}"' for n in range(999)) + "}"
    assert sum(name.endswith(".js") for name in doxygen_names(names + letters)) == MOST_FILES
