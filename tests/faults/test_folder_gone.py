"""A crawl folder that somebody takes away while it is crawled into: a sentence says so, and nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.pipeline.crawling import resume
from tests.pipeline.live_site import Answer, html, links, served
from weft.errors import FolderError


def test_a_folder_that_is_renamed_meanwhile_ends_the_crawl_with_a_sentence_and_goes_on_under_its_new_name(
    tmp_path: Path,
) -> None:
    folder, elsewhere = tmp_path / "crawl", tmp_path / "elsewhere"

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/b" and folder.exists():
            folder.rename(elsewhere)
        return html(links("/a", "/b", "/c") if path == "/" else path)

    with served(site_of) as site:
        with pytest.raises(FolderError, match=r"crawl was removed or renamed while it was being used"):
            site.crawl(folder, connections_per_host=1)
        _, files = resume(elsewhere)
    assert site.pages(files) == {"/", "/a", "/b", "/c"}
