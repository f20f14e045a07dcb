"""The URLs to begin with: those on the command line and those in a file."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from weft.cli.log import say
from weft.cli.one_page import with_scheme
from weft.errors import BadInput, BadUrl
from weft.regex import regex
from weft.url import split_login

STANDARD_INPUT = "-"
_PLACE = regex(r"(localhost|[^\s/?#@:]+\.[^\s/?#@:.]+\.?|\[[0-9A-Fa-f:.]+\])(:\d+)?(?=[/?#]|$)", re.IGNORECASE)


def read_seeds(urls: Iterable[str], source: str | None) -> tuple[str, ...]:
    """All seeds: canonical URLs, or as they were given where they have a login. BadInput names a bad one's place."""
    seeds = tuple(_seed(meant_by(url)) for url in urls)
    if source is not None:
        seeds += seeds_in(_text_of(source), "standard input" if source == STANDARD_INPUT else source)
    if not seeds:
        where = "give a URL, or a file of URLs with --seeds" if source is None else f"{source} holds no URL"
        raise BadInput(f"nothing to crawl: {where}")
    return seeds


def seeds_in(text: str, name: str) -> tuple[str, ...]:
    """The URLs of a text, one a line; empty lines and comments (#) are left out."""
    seeds = []
    for number, line in enumerate(text.splitlines(), start=1):
        url = line.strip()
        if url and not url.startswith("#"):
            try:
                seeds.append(_seed(url))
            except BadUrl as error:
                raise BadInput(f"{name}, line {number}: {error}") from error
    return tuple(seeds)


def meant_by(url: str) -> str:
    """A URL of the command line as it is meant: what begins with the name of a host is given a scheme (`with_scheme`).

    The name of a file is left as it is, and refused with what a URL needs.
    """
    return url if _PLACE.match(url.strip()) is None or Path(url.strip()).is_file() else with_scheme(url)


def tell_meant(urls: Iterable[str]) -> None:
    """Say for which URLs a scheme was assumed."""
    assumed = [meant_by(url) for url in urls if meant_by(url) != url]
    if assumed:
        more = f", and {len(assumed) - 1:,} more likewise" if assumed[1:] else ""
        say(f"no scheme was given: crawling {assumed[0]}{more}", level=logging.INFO)


def _seed(text: str) -> str:
    canonical, login = split_login(text)
    return text if login else canonical


def _text_of(source: str) -> str:
    try:
        data = sys.stdin.buffer.read() if source == STANDARD_INPUT else Path(source).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"cannot read the seeds from {source}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"cannot read the seeds from {source}: {error}") from error
