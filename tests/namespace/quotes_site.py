"""The pages of quotes.toscrape.com, as Scrapy's tutorial knows them: quotes, authors, a login, and an API by POST.

The markup is that of the site; the quotes are ours.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qs

HOST = "quotes.toscrape.com"
PER_PAGE = 3
AUTHORS = {
    "Ada Weaver": ("December 10, 1815", "in London", "She wrote programs for a machine that was never built."),
    "Jacques Loom": ("July 7, 1752", "in Lyon", "His cards told looms what to weave."),
    "Grete Shuttle": ("March 26, 1859", "in Bern", "She threw it <em>faster</em> than anybody."),
}
QUOTES = [
    ("A thread is only as long as its patience.", "Ada Weaver", ["patience", "threads"]),
    ("What is woven twice was planned once.", "Jacques Loom", ["plans"]),
    ("Ask politely, and “the server” will answer.", "Grete Shuttle", ["manners", "web"]),
    ("Every knot was a decision & somebody took it.", "Ada Weaver", ["decisions"]),
    ("The pattern is in the cards.", "Jacques Loom", ["plans", "cards"]),
    ("Slowly is also forwards.", "Grete Shuttle", []),
    ("Cut the cloth, not the corner.", "Ada Weaver", ["work"]),
]
USER, PASSWORD = "john", "secret"


class Reply(NamedTuple):
    """What the server answers."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


class QuotesSite:
    """The site with its sessions: bound by the one program that it is asked by."""

    def __init__(self) -> None:
        self._tokens: set[str] = set()  # of login pages that were handed out
        self._sessions: set[str] = set()  # of those who are logged in

    def get(self, path: str, cookies: Mapping[str, str]) -> Reply:
        """The page at a path."""
        path = path.partition("?")[0]
        number = path.removeprefix("/page/").rstrip("/")
        if path == "/" or (number.isdigit() and 1 <= int(number) <= _pages()):
            return _html(_quotes(int(number) if number else 1, is_known=cookies.get("session") in self._sessions))
        if path == "/login":
            return self._login_page()
        if path == "/search":
            return _html("<h1>Search</h1><script src=/search.js></script>")
        for name in AUTHORS:
            if path.rstrip("/") == _author_path(name):
                return _html(_author(name))
        return Reply(404, b"<!DOCTYPE html><title>Not found</title>")

    def post(self, path: str, body: bytes, media_type: str, cookies: Mapping[str, str]) -> Reply:
        """The answer to what was sent."""
        if path == "/api/search" and media_type.startswith("application/json"):
            return _found(json.loads(body)["page"])
        if path != "/login" or media_type != "application/x-www-form-urlencoded":
            return Reply(405)
        fields = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        is_ours = fields.get("csrf_token") in self._tokens and fields.get("csrf_token") == cookies.get("csrf")
        if not is_ours or (fields.get("username"), fields.get("password")) != (USER, PASSWORD):
            return self._login_page()
        session = secrets.token_hex(8)
        self._sessions.add(session)
        return Reply(302, headers=(("Location", "/"), ("Set-Cookie", f"session={session}; Path=/; HttpOnly")))

    def _login_page(self) -> Reply:
        token = secrets.token_hex(8)
        self._tokens.add(token)
        form = (
            '<form action="/login" method="post" accept-charset="utf-8">'
            f'<input type="hidden" name="csrf_token" value="{token}"/>'
            '<label for="username">Username</label><input type="text" id="username" name="username"/>'
            '<label for="password">Password</label><input type="password" id="password" name="password"/>'
            '<input type="submit" value="Login"/></form>'
        )
        return _html(_head(is_known=False) + form, (("Set-Cookie", f"csrf={token}; Path=/"),))


def _html(body: str, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    page = f'<!DOCTYPE html><html lang="en"><title>Quotes to Scrape</title><body>{body}</body></html>'
    return Reply(200, page.encode(), (("Content-Type", "text/html; charset=utf-8"), *headers))


def _head(*, is_known: bool) -> str:
    link = '<a href="/logout">Logout</a>' if is_known else '<a href="/login">Login</a>'
    return f'<h1><a href="/">Quotes to Scrape</a></h1><p>{link}</p>'


def _quotes(number: int, *, is_known: bool) -> str:
    parts = [_head(is_known=is_known)]
    for text, author, tags in QUOTES[PER_PAGE * (number - 1) : PER_PAGE * number]:
        links = "".join(f'<a class="tag" href="/tag/{tag}/page/1/">{tag}</a> ' for tag in tags)
        more = f'<a href="http://goodreads.com/{author[:3]}">(Goodreads page)</a>' if is_known else ""
        parts.append(
            f'<div class="quote"><span class="text">{escape(text)}</span><span>by <small class="author">{author}'
            f'</small> <a href="{_author_path(author)}">(about)</a>{more}</span>'
            f'<div class="tags">Tags: {links}</div></div>'
        )
    if number < _pages():
        parts.append(f'<nav><ul class="pager"><li class="next"><a href="/page/{number + 1}/">Next</a></li></ul></nav>')
    return "".join(parts)


def _author(name: str) -> str:
    born, where, about = AUTHORS[name]
    return (
        f'{_head(is_known=False)}<div class="author-details"><h3 class="author-title">{name}\n    </h3><p>Born: '
        f'<span class="author-born-date">{born}</span> <span class="author-born-location">{where}</span></p>'
        f'<div class="author-description">\n    {escape(about)}\n</div></div>'
    )


def _found(number: int) -> Reply:
    """A page of the API."""
    chosen = QUOTES[PER_PAGE * (number - 1) : PER_PAGE * number]
    quotes = [{"text": text, "author": author, "tags": tags} for text, author, tags in chosen]
    answer = {"page": number, "has_next": number < _pages(), "quotes": quotes}
    return Reply(200, json.dumps(answer).encode(), (("Content-Type", "application/json"),))


def _pages() -> int:
    return -(-len(QUOTES) // PER_PAGE)


def _author_path(name: str) -> str:
    return f"/author/{name.replace(' ', '-')}"
