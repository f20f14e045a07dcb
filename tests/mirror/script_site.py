"""Sites that live by their scripts: one of modules and an import map, one like Doxygen's. Both made here, and small."""

from __future__ import annotations

from .site_server import OTHER, Answer, Site, page

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cf50000003010101a9b1d5a50000000049454e44ae426082"
)


def script(text: str) -> Answer:
    return Answer(text.encode(), "text/javascript")


def data(text: str) -> Answer:
    return Answer(text.encode(), "application/json")


def picture() -> Answer:
    return Answer(PNG, "image/png")


def put_modules(site: Site) -> None:
    """What only scripts name, in every way that is sure, or nearly so."""
    site.put(
        "/",
        page(f"""<!doctype html><title>Modules</title>
<link rel=search href=/find.html><link rel=glossary href=/words.html>
<meta property="og:image" content="/og.png">
<script type="importmap">{{"imports": {{"greet": "/js/greet.js?v=3", "parts/": "./js/parts/",
  "far": "{site.url("/far.js", OTHER)}"}}}}</script>
<script type="module">
import {{ words }} from "greet"; import {{ part }} from "parts/one.js"; import {{ far }} from "far";
import {{ main }} from "/js/main.js";
document.querySelector("#out").textContent = [words, part, far, await main()].join(" ");
document.querySelector("#out").dataset.done = "yes";
</script>
<script type="application/json" id="config">{{"search": "js/search.js"}}</script>
<body><p id="out">nothing</p><div id="bg" data-bg="/img/bg.png"></div>
<template id="card"><img src="img/card.png"><a href="deep.html">deep</a><a href="{{{{url}}}}">x</a></template>
<a href="/index.html" ping="/told">home</a>
<script>
document.write("<img id=written src='img/written.png'>");
const queried = new Image(); queried.src = "img/queried.png?v=3"; document.body.append(queried);
const area = document.querySelector("#bg");
area.style.backgroundImage = "url(" + area.dataset.bg + ")";
document.body.append(document.querySelector("#card").content.cloneNode(true));
</script></body>"""),
    )
    site.put("/js/greet.js?v=3", script('export const words = "hello";'))
    site.put("/js/parts/one.js", script('import "../side.js"; export const part = "part" + globalThis.side;'))
    site.put("/js/side.js", script('globalThis.side = 1; // import "./never.js"\n'))
    site.put(
        "/far.js",
        Answer(b'export const far = "far";', "text/javascript", headers=(("Access-Control-Allow-Origin", "*"),)),
        OTHER,
    )
    site.put(
        "/js/main.js",
        script("""export { late } from "./late.js";
export async function main() {
    const lazy = await import("./lazy.js");
    const data = await (await fetch("/data/list.json")).json();
    const worker = new Worker("/js/worker.js");
    const heard = await new Promise(done => { worker.onmessage = event => done(event.data); worker.postMessage(1); });
    const image = new Image(); image.src = new URL("../img/by-url.png", import.meta.url); await image.decode();
    const search = await import("/" + JSON.parse(document.querySelector("#config").textContent).search);
    return [lazy.name, data.name, heard, search.found].join(" ");
}
"""),
    )
    site.put("/js/late.js", script("export const late = 1;"))
    site.put("/js/lazy.js", script('export const name = "lazy";'))
    site.put("/js/search.js", script('export const found = "found";'))
    site.put("/js/worker.js", script('importScripts("helper.js"); onmessage = () => postMessage(helped);'))
    site.put("/js/helper.js", script('var helped = "helped";'))
    site.put("/data/list.json", data('{"name": "listed", "icon": "img/of-data.png"}'))
    for name in ("bg", "card", "written", "by-url", "of-data"):
        site.put(f"/img/{name}.png", picture())
    site.put("/img/queried.png?v=3", picture())
    for name in ("find", "words", "deep"):
        site.put(f"/{name}.html", page(f"<title>{name}</title><p>{name}</p><script src=/gone.js></script>"))
    site.put("/index.html", site.answers["127.0.0.1", "/"])


def put_doxygen(site: Site) -> None:
    """A tree of contents, a menu and a search, all loaded by names that scripts put together."""
    site.put(
        "/dox/index.html",
        page("""<!doctype html><title>Dox</title>
<script src="navtreedata.js"></script><script src="navtree.js"></script>
<script src="menudata.js"></script><script src="search/searchdata.js"></script>
<body><ul id="tree"></ul><span id="sync"></span><div id="menu"></div><p id="found"></p><script>
initNavTree(''); menu.children.forEach(one => { document.querySelector("#menu").append(one.text) });
</script></body>"""),
    )
    site.put(
        "/dox/navtreedata.js",
        script("""var NAVTREE =
[
  [ "Dox", "index.html", [
    [ "Classes", "annotated.html", "annotated_dup" ],
    [ "Plain", "plain.html", null ]
  ] ]
];
var NAVTREEINDEX =
[
"annotated.html",
"classB.html"
];
"""),
    )
    site.put("/dox/annotated_dup.js", script('var annotated_dup =\n[\n    [ "A", "classA.html", "classA" ]\n];\n'))
    site.put("/dox/classA.js", script('var classA =\n[\n    [ "a", "classA.html#a1", null ]\n];\n'))
    for number in (0, 1):
        site.put(
            f"/dox/navtreeindex{number}.js", script(f'var NAVTREEINDEX{number} =\n{{\n"annotated.html":[0]\n}};\n')
        )
    site.put(
        "/dox/navtree.js",
        script("""function getScript(name, then) {
  const script = document.createElement('script');
  script.src = name + '.js'; script.onload = then; document.head.append(script);
}
function initNavTree(relpath) {
  const tree = document.querySelector('#tree');
  for (const [name, url, children] of NAVTREE[0][2]) {
    tree.append(name + ' ');
    if (children) getScript(relpath + children, () => tree.append(window[children][0][0] + ' '));
  }
  for (let i = 0; i < NAVTREEINDEX.length; i++) getScript(relpath + 'navtreeindex' + i, () => tree.append(i + ' '));
  document.querySelector('#sync').innerHTML = '<img src="' + relpath + 'sync_on.png" title="' + relpath + '"/>';
  getScript(relpath + 'search/' + indexSectionNames[0] + '_1', () => { found.textContent = searchData[0] });
}
"""),
    )
    site.put("/dox/menudata.js", script('var menu = {children:[{text:"Files",url:"files.html"}]}'))
    site.put(
        "/dox/search/searchdata.js",
        script('var indexSectionsWithContent =\n{\n  0: "ab"\n};\nvar indexSectionNames =\n{\n  0: "all"\n};\n'),
    )
    site.put("/dox/search/all_0.js", script("var searchData = ['alpha', '../classA.html#a1'];"))
    site.put("/dox/search/all_1.js", script("var searchData = ['beta', '../classB.html'];"))
    site.put("/dox/sync_on.png", picture())
    for name in ("annotated", "plain", "classA", "classB", "files"):
        site.put(f"/dox/{name}.html", page(f"<title>{name}</title>{name}"))
