"""Which site of a mirror is at the root, and what is found there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pack.trees import write_tree
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.folder.layout import CRAWL_FOLDER, CrawlFolder
from weft.serve import Root, Site, root_of
from weft.serve.site import FoundFile, Listing, Moved

FILES = {
    "a.org/docs/index.html": b"",
    "a.org/js/app.js": b"",
    "a.org/about.html": b"",
    "a.org/list@page=2.json": b"",
    "a.org/list.json": b"",
    "cdn.net/lib.js": b"",
}


def _mirror(folder: Path, seed: str = "http://a.org/docs/") -> Path:
    write_tree(folder, FILES)
    crawl = CrawlFolder(folder / CRAWL_FOLDER, must_exist=False)
    crawl.save_config(CrawlConfig(seeds=(seed,)))
    crawl.close()
    return folder


@pytest.mark.parametrize(
    ("target", "file"),
    [
        ("/js/app.js", "a.org/js/app.js"),
        ("/docs/", "a.org/docs/index.html"),
        ("/about", "a.org/about.html"),
        ("/list.json?page=2", "a.org/list@page=2.json"),
        ("/list.json?page=3", "a.org/list.json"),
        ("/cdn.net/lib.js", "cdn.net/lib.js"),
        ("/a.org/js/app.js", "a.org/js/app.js"),
        ("/absent.js", None),
        ("/.weft/state/config.json", None),
        ("/..%2f.weft/state/config.json", None),
    ],
)
def test_paths_from_the_root_lead_to_files_of_the_site(target: str, file: str | None, tmp_path: Path) -> None:
    folder = _mirror(tmp_path / "m")
    found = Site(folder, root_of(folder)).find(target)
    assert found == (FoundFile((folder / file).resolve()) if file else None)


def test_the_root_leads_to_the_page_to_begin_with_and_is_not_remembered(tmp_path: Path) -> None:
    folder = _mirror(tmp_path / "m")
    assert Site(folder, root_of(folder)).find("/") == Moved("/docs/index.html", for_now=True)


def test_a_folder_that_is_no_mirror_is_shown_as_it_is(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "m", FILES)
    assert root_of(folder) == Root()
    assert isinstance(Site(folder, root_of(folder)).find("/"), Listing)


def test_another_site_can_be_asked_for(tmp_path: Path) -> None:
    folder = _mirror(tmp_path / "m")
    assert root_of(folder, "cdn.net") == Root("cdn.net")
    assert root_of(folder, ".") == Root()
    for name in ("", "absent", "../m", "..", ".weft"):
        with pytest.raises(BadInput):
            root_of(folder, name)


def test_a_seed_that_has_no_file_leaves_the_list_of_the_site(tmp_path: Path) -> None:
    folder = _mirror(tmp_path / "m", "http://a.org/moved")
    assert root_of(folder) == Root("a.org")
