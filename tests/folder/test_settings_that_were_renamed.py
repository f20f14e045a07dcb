"""A crawl that an earlier version began goes on with the settings that it had, by whatever names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from weft.config import CrawlConfig
from weft.folder.layout import CrawlFolder, load_config


@pytest.mark.parametrize(
    ("earlier", "forms", "preset"),
    [
        ({"clean": None}, (), None),
        ({"clean": "markdown", "clean_preset": None}, ("markdown",), "article"),
        ({"clean": "html", "clean_preset": "safe"}, ("html",), "safe"),
        ({"clean": "html"}, ("html",), "paper"),
    ],
)
def test_what_was_to_be_cleaned_is_kept_in_that_form_by_the_same_rules(
    tmp_path: Path, earlier: dict[str, Any], forms: tuple[str, ...], preset: str | None
) -> None:
    folder = CrawlFolder(tmp_path / "crawl", must_exist=False)
    folder.save_config(CrawlConfig(seeds=("http://a.test/",)))
    folder.close()
    file = tmp_path / "crawl" / "state" / "config.json"
    stored = msgspec.json.decode(file.read_bytes())
    del stored["config"]["with_forms"]
    stored["config"].update(earlier)
    file.write_bytes(msgspec.json.encode(stored))
    config = load_config(tmp_path / "crawl")
    assert (config.with_forms, config.clean_preset) == (forms, preset)
