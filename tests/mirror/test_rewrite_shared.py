"""What pages of a folder share changes nothing but the time that it takes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.mirror.paths import relative_link
from weft.mirror.rewrite import KnownLinks, Local, Remote, Syntax, rewrite

FOLDER = "http://a.test/d/"
FILES = {
    f"{FOLDER}{name}": f"a.test/d/{path}"
    for name, path in {
        "one": "one.html", "two.html": "two.html", "one?x": "one@x.html", "e/three": "e/three.html", "i.png": "i.png",
    }.items()
} | {"http://a.test/": "a.test/index.html"}  # fmt: skip
PAGES = [url for url in FILES if url.startswith(FOLDER) and "e/" not in url]

HREFS = st.sampled_from(
    [
        "one", "two.html", "./two.html", "e/three", "../d/one", "/d/one", "/", "", "?x", "#f", "one#f", "two.html#f",
        "i.png", "http://a.test/d/one#g", "http://b.test/", "mailto:a@b.c", "nowhere", "a b", "&#35;f", " #f",
        "&quest;x", "é", "javascript:x(1)",
    ]
)  # fmt: skip
TAGS = st.sampled_from(
    [
        '<a href="{}">', '<a href="{}" title="x > y">', "<a href='{}'>", "<a href={}>", '<A HREF="{}">',
        '<a class="c" href="{}">', '<img src="{}" style="background:url(?x)">', '<img src="{}" integrity="x"/>',
        '<script src="{}" crossorigin integrity="x"></script>', '<script src="{}" integrity="x" ></script>',
        '<link rel=canonical href="{}">', '<link rel=stylesheet href="{}">', '<base href="{}">',
        '<meta http-equiv=refresh content="1;url={}">', '<form action="{}" method=post>', '<button formaction="{}">',
        '<input type=image src="{}">', '<iframe srcdoc="&lt;a href={}&gt;">', '<p style="background:url({})">',
        '<svg><a href="{}"></a></svg>', '<a href="{}" href="one">', '<a id="x" href="{}" href>',
        '<template><a href="{}"></template>', '<div class="{}">',
    ]
)  # fmt: skip
BODIES = st.lists(st.builds(lambda tag, href: tag.format(href), TAGS, HREFS), max_size=8).map("\n".join)


def rewritten(url: str, body: str, shared: KnownLinks | None) -> bytes:
    def target(link: str) -> Local | Remote:
        return Local(relative_link(FILES[url], FILES[link])) if link in FILES else Remote(link)

    return rewrite(body.encode(), Syntax.HTML, "utf-8", url, target, shared=shared).body


@settings(max_examples=100, deadline=None)
@given(pages=st.lists(st.tuples(st.sampled_from(PAGES), BODIES), min_size=2, max_size=5))
def test_a_page_becomes_the_same_whatever_was_rewritten_before_it(pages: list[tuple[str, str]]) -> None:
    shared = KnownLinks()
    for url, body in pages:
        assert rewritten(url, body, shared) == rewritten(url, body, None)


def test_links_that_come_again_are_looked_up_once() -> None:
    asked: list[str] = []

    def target(link: str) -> Remote:
        asked.append(link)
        return Remote(link)

    shared = KnownLinks()
    for number in range(5):
        body = f'<a href="menu.html">x</a><a href="menu.html#{number}">y</a><img src="logo.png" alt="">'.encode()
        rewrite(body, Syntax.HTML, "utf-8", f"{FOLDER}{number}", target, shared=shared)
    assert asked == [f"{FOLDER}menu.html", f"{FOLDER}logo.png"]


def test_a_tag_with_a_whole_image_in_it_is_not_remembered() -> None:
    shared = KnownLinks()
    image = "A" * 100_000
    body = f'<img src="data:image/png;base64,{image}"><p style="background:url(data:image/png;base64,{image})">'
    assert rewritten(f"{FOLDER}one", body, shared) == body.encode()
    assert len(shared) == 0
