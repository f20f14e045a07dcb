"""The question nearly every test here asks."""

from __future__ import annotations

from weft.robots import parse_robots


def allowed(robots_txt: str | bytes, path: str, token: str = "weft") -> bool:
    """Whether a crawler that calls itself `token` may fetch `path`."""
    body = robots_txt.encode() if isinstance(robots_txt, str) else robots_txt
    return parse_robots(body, token).allows(path)


def group(*lines: str, agent: str = "weft") -> str:
    """A file with one group."""
    return "\n".join([f"User-agent: {agent}", *lines]) + "\n"
