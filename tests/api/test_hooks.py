"""Hooks from a program: functions as they are, and those of a site."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

import weft
from tests.api import hook_site
from tests.pipeline.live_site import Answer, html, links, served
from weft.folder.layout import load_config
from weft.settings.keywords import CrawlSettings

QUICK: CrawlSettings = {"delay": 0.0, "allow_private": True, "workers": 1}
agents: list[str] = []


def home(path: str, headers: Mapping[str, str]) -> Answer:
    agents.append(headers["User-Agent"])
    return html(links("/a", "/b") if path == "/" else path)


def introduce(request: weft.HookRequest) -> None:
    request.headers["User-Agent"] = "by a function"


def test_a_function_is_given_as_it_is_and_stored_by_its_path(tmp_path: Path) -> None:
    with served(home) as site:
        agents.clear()
        settings: CrawlSettings = {**QUICK, "before_request": introduce}
        asyncio.run(weft.crawl(f"{site.origin}/", output=tmp_path / "crawl", **settings).run())
    assert agents == ["by a function"] * 3
    assert load_config(tmp_path / "crawl").before_request == f"{__name__}:introduce"


def test_the_hooks_of_a_site_are_called_and_again_when_it_is_resumed(tmp_path: Path) -> None:
    with served(home) as site:
        agents.clear()
        hook_site.calls.clear()
        settings: CrawlSettings = {**QUICK, "extract": [hook_site.site], "max_pages": 1}
        asyncio.run(weft.crawl(f"{site.origin}/", output=tmp_path / "crawl", **settings).run())
        assert hook_site.calls == {"before": 2, "after": 2}
        asyncio.run(weft.resume(tmp_path / "crawl", max_pages=None).run())
    assert hook_site.calls == {"before": 6, "after": 6}
    assert agents == ["by a hook"] * 6


@pytest.mark.parametrize("hook", [lambda request: None, 5, "nowhere"])
def test_what_cannot_be_a_hook_is_bad_input(hook: object, tmp_path: Path) -> None:
    settings: CrawlSettings = {**QUICK, "after_response": hook}  # type: ignore[typeddict-item]
    with pytest.raises(weft.BadInput):
        asyncio.run(weft.crawl("http://127.0.0.1/", output=tmp_path / "x", **settings).run())
    assert not (tmp_path / "x").exists()
