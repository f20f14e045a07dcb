"""By which name robots.txt, meta robots and X-Robots-Tag address a crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.simweb import SimWeb
from weft.simweb.behaviour import Fixed

from .small_web import Sites, SmallWeb, page, text

NAMES = [
    {"user_agent": "Mozilla/5.0 (compatible; bot5/1.0; +https://example.org/bot)"},
    {"user_agent": "bot5/1.0"},
    {"user_agent": "Mozilla/5.0 (X11; Linux x86_64)", "robots_agent": "bot5"},
]
RULES = "User-agent: *\nDisallow: /\n\nUser-agent: bot1\nDisallow: /others\n\nUser-agent: bot5\nDisallow: /ours\n"


@pytest.mark.parametrize("names", NAMES)
def test_what_is_said_to_the_name_in_the_user_agent_is_obeyed(names: dict[str, str], tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        tagged = Fixed(page("/from-tag").body, headers=(("X-Robots-Tag", "bot1: noindex, bot5: nofollow"),))
        return {
            ("site.test", "/robots.txt"): text(RULES),
            ("site.test", "/"): page("/ours", "/others", "/meta", "/tag"),
            ("site.test", "/others"): page("/from-others", head='<meta name="bot1" content="nofollow">'),
            ("site.test", "/meta"): page("/from-meta", head='<meta name="bot5" content="nofollow">'),
            ("site.test", "/tag"): tagged,
        }

    small = SmallWeb(("site.test",), sites)
    small.crawl(tmp_path / "crawl", "site.test", **names)
    asked = {request.path for request in small.log}
    assert asked == {"/robots.txt", "/", "/others", "/meta", "/tag", "/from-others"}
