"""Which strings of a script are names of files, and which URLs they may mean."""

from __future__ import annotations

import pytest

from weft.parse.script import parse_script
from weft.parse.script_names import MOST_LOOKED_AT, Base, script_names
from weft.types import Kind

PAGE = "https://a.org/docs/guide/x.html"
SCRIPT = "https://a.org/docs/_static/app.js"


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ('import a from "./a.js"', ["./a.js"]),
        ('import"./a.js";export*from"../b"', ["./a.js", "../b"]),
        ('import(/* webpackChunkName: "x" */ "./a")', ["./a"]),
        ('new URL("a.png", import.meta.url)', ["a.png"]),
        ('importScripts("a.js", "b.js")', ["a.js", "b.js"]),
        ('import a from "lodash/fp"', []),
        ('import("./a/" + name)', []),
        ('x.import "./a.js"', []),
        ('new URL("a.png", base)', []),
        ('Array.from("a.js")', []),
    ],
)
def test_what_is_relative_to_the_script_is_sure(script: str, names: list[str]) -> None:
    assert [name.href for name in script_names(script) if name.base is Base.MODULE] == names


@pytest.mark.parametrize(
    ("script", "urls"),
    [
        ('fetch("a.json")', ["docs/guide/a.json"]),
        ('fetch("/api/items")', ["api/items"]),
        ('fetch("/api/" + id)', []),
        ('x.open("GET", "a.xml")', ["docs/guide/a.xml"]),
        ('new Worker("w.js")', ["docs/guide/w.js"]),
        ("document.write('<img src=\"a.png\"><b>')", ["docs/guide/a.png"]),
        ("n.html('<img src=\"' + root + 'on.png\" title=\"x')", ["docs/_static/on.png", "docs/on.png"]),
        ("`${root}plus.png`", ["docs/_static/plus.png", "docs/plus.png"]),
        ('root + "/lunr/a.js"', ["docs/lunr/a.js"]),
        ("`${root}/a.js`", ["docs/a.js"]),
        ('let e="../lunr";if(x){e=e.replace("..",i)}r.push(`${e}/min/a.js`)', ["docs/lunr/min/a.js"]),
        ("var dir = 'img', n = 1; load(dir + '/a.png')", ["docs/img/a.png"]),
        ("var dir = '/img/'; load(dir + '/a.png')", ["img/a.png"]),
        ("var dir = 'img'; load(x.dir + '/a.png')", ["docs/a.png"]),
        ("var dir = 'some words'; load(dir + '/a.png')", ["docs/a.png"]),
        ("var dir = 'img'; load(dir + '/words')", []),
        ("var dir = 'img'; if (dir) {load(dir + '/a.png')}", ["docs/img/a.png"]),
        ("var dir = 'img'; load('/x/' + dir + '/a.png')", ["docs/a.png"]),
        ('function a(){var e="click";on(e)}function b(e){return e+"/a.png"}', ["docs/a.png"]),
        ('var e="click";f=(t,e)=>load(e+"/a.png")', ["docs/a.png"]),
        ('var e="click";f=e=>load(`${e}/a.png`)', ["docs/a.png"]),
        ('new URL("a.json", base)', ["docs/a.json"]),
        ('new URL("../a.json", base)', []),
        ('x = "img/a.png"', ["docs/img/a.png"]),
        ('x = "/img/a.png"', ["img/a.png"]),
        ("['a', '../a.html#x']", ["docs/a.html"]),
        ('x = c ? "a.css" : "b.css"', ["docs/_static/a.css", "docs/a.css", "docs/_static/b.css", "docs/b.css"]),
        ('x = "https://other.org/a.png"', []),
        ('{"./a.js": 7}', []),
        ('require("./a.js")', []),
        ('n("./a.js")', []),
        ('x + ".min.js"', []),
        ('x = "org.w3c.dom.css"', []),
        ('x == "a.html"', []),
        ('"text/html" + "image/png" + "1.5" + "Hello. World"', []),
        ("Search.setIndex({filenames:['a.txt']})", []),
        ('packageSearchIndex = [{"l":"javax.xml"}]', []),
    ],
)
def test_a_guess_is_of_the_site_and_ends_as_files_do(script: str, urls: list[str]) -> None:
    page = parse_script(script.encode(), SCRIPT, via=PAGE)
    assert list(page.places) == [f"https://a.org/{url}" for url in urls]
    assert {place.kind for place in page.places.values()} <= {Kind.GUESS}


def test_a_library_of_another_host_names_nothing_of_the_site() -> None:
    page = parse_script(b'x = "img/a.png"; import "./b.js"', "https://cdn.net/lib.js", via=PAGE)
    assert {url: place.kind for url, place in page.places.items()} == {"https://cdn.net/b.js": Kind.EMBED}


def test_data_names_files_too() -> None:
    page = parse_script(b'{"icon": "img/a.png", "b.png": 1}', "https://a.org/data/x.json", "application/json", via=PAGE)
    assert list(page.places) == ["https://a.org/img/a.png"]


def test_of_a_million_strings_that_are_no_names_only_some_are_looked_at() -> None:
    no_name = '"a.b",'
    assert script_names(no_name * 10 + 'load("img/b.png")') != []
    assert script_names(no_name * MOST_LOOKED_AT + 'load("img/b.png")') == []
