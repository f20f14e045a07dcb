"""Sites that live by their scripts, mirrored and shown by `weft serve`, in a real browser: they do what they did."""

from __future__ import annotations

from pathlib import Path

import pytest

from .browser import browsing
from .mirrors import FOLDER, mirror, summary_of, tree
from .script_site import put_doxygen, put_modules
from .served_mirror import Seen, Step, differences, served_mirror, walk
from .site_server import OTHER, OWN, Site, serving

MODULES = (
    Step("/", "document.querySelector('#out').dataset.done && document.querySelector('#out').textContent"),
    Step("/index.html", "document.querySelector('#out').dataset.done && document.images.length"),
    Step("/", "[...document.images].every(image => image.naturalWidth) && 'all shown'"),
)
DOXYGEN = (
    Step("/dox/index.html", "document.querySelector('#tree').textContent.split(' ').sort().join(' ').trim()"
         ".match(/^0 1 A/) && document.querySelector('#found').textContent"),
    Step("/dox/index.html", "document.querySelector('#sync img').naturalWidth"
         " && document.querySelector('#menu').innerText"),
)  # fmt: skip


class ScriptSites:
    """Both sites, live and kept; the server has stopped when the mirror is looked at."""

    def __init__(self, cwd: Path) -> None:
        self.site = Site()
        with serving(self.site), browsing(network=True) as browser:
            put_modules(self.site)
            put_doxygen(self.site)
            seeds = (self.site.url("/dox/index.html"), "--json")
            self.summary = summary_of(mirror(self.site, cwd, *seeds))
            self.statuses = self.site.statuses()
            self.live: Seen = walk(browser, self.site.url(""), (*MODULES, *DOXYGEN))
        self.files = tree(cwd)
        with served_mirror(cwd / FOLDER) as origin, browsing(network=True) as browser:
            self.kept: Seen = walk(browser, origin, (*MODULES, *DOXYGEN))

    def path(self, path: str, host: str = OWN) -> str:
        return f"{host}@{self.site.port}{path}"


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> ScriptSites:
    return ScriptSites(tmp_path_factory.mktemp("scripts"))


def test_modules_workers_and_a_tree_of_contents_work_as_on_the_server(sites: ScriptSites) -> None:
    assert sites.live.values[0] == "hello part1 far lazy listed helped found"
    assert sites.live.values[3:] == ["beta", "Files"]
    assert differences(sites.live, sites.kept) == []


def test_what_scripts_name_is_saved_and_what_comments_name_is_not(sites: ScriptSites) -> None:
    for name in ("/js/side.js", "/js/late.js", "/js/lazy.js", "/js/worker.js", "/js/helper.js", "/js/search.js",
                 "/data/list.json", "/img/of-data.png", "/img/bg.png", "/img/card.png", "/img/written.png",
                 "/deep.html", "/find.html", "/words.html", "/dox/classA.js", "/dox/navtreeindex1.js",
                 "/dox/search/all_1.js", "/dox/sync_on.png", "/dox/classB.html", "/dox/files.html"):  # fmt: skip
        assert sites.path(name) in sites.files
    assert sites.path("/far.js", OTHER) in sites.files
    assert not any("never" in url or "%7B" in url for url in sites.statuses)


def test_a_guess_that_is_not_there_is_neither_broken_nor_rewritten(sites: ScriptSites) -> None:
    missing = sorted(url for url, status in sites.statuses.items() if status == 404)
    guessed = [sites.site.url(path) for path in ("/dox/search/all_0.html", "/dox/search/nomatches.html", "/gone.js")]
    assert missing == guessed
    assert b'fetch("/data/list.json")' in sites.files[sites.path("/js/main.js")]


def test_what_modules_import_leads_to_their_files(sites: ScriptSites) -> None:
    home = sites.files[sites.path("/index.html")]
    assert b'"greet": "./js/greet@v=3.js"' in home
    assert b'"far": "../127.0.0.2@' in home
    assert b'from "./js/main.js"' in home


def test_a_picture_that_a_script_of_a_page_names_with_a_query_leads_to_its_file(sites: ScriptSites) -> None:
    assert b'queried.src = "img/queried@v=3.png"' in sites.files[sites.path("/index.html")]
    assert sites.path("/img/queried@v=3.png") in sites.files


def test_pings_and_pictures_for_other_sites_are_absolute(sites: ScriptSites) -> None:
    home = sites.files[sites.path("/index.html")].decode()
    assert f'ping="{sites.site.url("/told")}"' in home
    assert f'content="{sites.site.url("/og.png")}"' in home


def test_a_folder_and_its_index_with_the_same_bytes_are_one_file(sites: ScriptSites) -> None:
    assert [name for name in sites.files if name.startswith(sites.path("/index"))] == [sites.path("/index.html")]
    assert b'href="index.html"' in sites.files[sites.path("/index.html")]


def test_pages_that_need_a_server_are_told_of(sites: ScriptSites) -> None:
    assert sites.summary["by_scripts"] >= 1
    assert sites.summary["filled_for_example"]
