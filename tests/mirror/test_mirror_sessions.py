"""A mirror of a site that gives every visit a new session id."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.running import Finished
from tests.pipeline.live_site import served
from tests.pipeline.test_session_ids import Board

from .mirrors import FOLDER, QUICK, tree


def test_links_with_any_session_id_lead_to_the_file_of_their_page(tmp_path: Path) -> None:
    with served(Board(150)) as site:
        done = Finished("mirror", f"{site.origin}/", "-o", FOLDER, *QUICK, cwd=tmp_path)
    assert done.code == 0, done.errors
    files = tree(tmp_path)
    topics = [body.decode() for name, body in files.items() if "viewtopic" in name]
    assert len({re.search(r"t=\d+", name)[0] for name in files if "viewtopic" in name}) == 150  # type: ignore[index]
    hrefs = [href for body in topics for href in re.findall(r'href="([^"]*)"', body)]
    assert hrefs
    assert [href for href in hrefs if href.startswith("http")] == []
