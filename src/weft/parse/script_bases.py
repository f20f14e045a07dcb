"""Which URLs the names in a script may mean, where only a run of it would tell.

    https://a.org/docs/_static/js/app.js    the script
    https://a.org/docs/guide/x.html         a page that needs it
    https://a.org/docs/                     the folder that both are in: their site, as far as can be told

    "/img/a.png"                         from the root
    "img/a.png", "./a.json"              below the site's folder
    "../a.html"                          from the script
    "a.png", root + "a.json"             beside the script, or in the site's folder: both are tried
    root + "/a.json", new URL("a", b)    in the site's folder
    fetch("a.json")                      from the page

A script of another host than the page's is a library: what it names is anybody's guess, and not followed up.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.parse.script_names import Base, ScriptName
from weft.url import LinkResolver
from weft.url.parts import origin_of


class ScriptBases:
    """The bases of one script; `page` is where it was found, itself for a script in a page, empty if nobody knows."""

    def __init__(self, url: str, page: str) -> None:
        page = page or url
        self._origin = origin_of(page)
        self._is_library = origin_of(url) != self._origin
        self._own = LinkResolver(url)
        self._page = LinkResolver(page)
        site = url[: _same_folder(url.partition("?")[0], page.partition("?")[0])]
        self._site = LinkResolver(site) if site and not self._is_library else self._page
        folder = url.partition("?")[0].rpartition("/")[0] + "/"
        self._is_beside = folder == self._site.url

    def sure(self, name: ScriptName) -> str | None:
        """The URL of a name that is relative to the script."""
        return self._own.resolve(name.href)

    def guesses(self, name: ScriptName) -> Iterator[str]:
        """The URLs that another name may mean: of the page's own host alone."""
        if self._is_library:
            return
        for resolver, href in self._tries(name):
            url = resolver.resolve(href)
            if url is not None and origin_of(url) == self._origin:
                yield url

    def _tries(self, name: ScriptName) -> Iterator[tuple[LinkResolver, str]]:
        href = name.href
        if name.base is Base.PAGE:
            yield self._page, href
        elif name.is_tail and href.startswith("/"):  # `${base}/a.js`
            yield self._site, href.lstrip("/")
        elif href.startswith("../"):
            if not name.is_tail:
                yield self._own, href
        elif "/" in href.partition("?")[0] or name.is_based:
            yield self._site, href
        else:
            yield self._own, href
            if not self._is_beside:
                yield self._site, href


def _same_folder(one: str, other: str) -> int:
    """How long the folder is that both are in."""
    at = 0
    for number, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            break
        if a == "/":
            at = number + 1
    return at
