"""Crawl folders of an older format: refused in one sentence, and whole again after `weft repair`.

They were made by that older weft itself: see older_site.py.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.cli.running import Finished
from tests.folder.older_site import OPTIONS, POLITE, PORT, URLS, older_site, served, unpack
from tests.mirror.site_server import Site, page
from weft.errors import FolderError
from weft.folder import older
from weft.folder.layout import FORMAT, database_of, format_of
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.state import FAMILIES, Family, State
from weft.state.keys import bucket_range
from weft.url import bucket_of

HOSTS = ("127.0.0.1", "127.0.0.2")
# With the letters of their keys; `wake` is by time, and the others tell of records and bodies.
BY_BUCKET: dict[Family, tuple[bytes, ...]] = {
    **dict.fromkeys(
        ("seen", "queue", "host", "robots", "page", "visits", "relax", "undelivered", "over", "forbidden", "refused",
         "rule", "earlier", "repeat"), (b"",)),
    "mirror": (b"n", b"k", b"t", b"u"),
    "traps": (b"c", b"h", b"p", b"w"),
}  # fmt: skip
FOLDERS = ("finished", "unfinished", "mirror/.weft", "updating/.weft")


@pytest.fixture
def crawls(tmp_path: Path) -> Path:
    unpack(tmp_path)
    return tmp_path


def pages_of(folder: Path) -> dict[str, tuple[int, str]]:
    with CrawlReader(folder) as reader:
        return {row.url: (row.status, row.outcome) for row in reader.rows()}


def lines(path: Path) -> Counter[str]:
    return Counter(path.read_text().splitlines())


# ── what others say of it ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "command",
    [
        ("resume", "finished"), ("report", "finished"), ("export", "finished", "--to", "jsonl"),
        ("mirror", "-o", "mirror"), ("mirror", "-o", "mirror", "--update"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_older_folder_is_refused_in_one_sentence_that_names_the_way_out(
    command: tuple[str, ...], crawls: Path
) -> None:
    done = Finished(*command, cwd=crawls)
    name = "mirror" if command[0] == "mirror" else "finished"
    assert done.code == 6
    (sentence,) = done.errors.splitlines()
    assert f"{name} was made by another version of weft (format {older.FORMAT}, this one reads {FORMAT})" in sentence
    assert f"`weft repair {name}`" in sentence


def test_a_program_is_told_the_same(crawls: Path) -> None:
    with pytest.raises(FolderError, match=r"`weft repair .*/unfinished` brings it up to date"):
        CrawlReader(crawls / "unfinished")


# ── rows ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", FOLDERS)
def test_every_row_is_carried_over_and_a_bucket_is_one_range_of_its_family(name: str, crawls: Path) -> None:
    folder = crawls / name
    with closing(State(database_of(folder))) as old:
        before = {family: Counter(row for _, row in old.scan(family)) for family in FAMILIES}
    found = repair(folder)
    assert found.is_carried
    assert format_of(folder) == FORMAT
    with closing(State(database_of(folder), is_read_only=True)) as new:
        for family in FAMILIES:
            after = Counter(row for _, row in new.scan(family))
            if family in ("unsynced", "digest", "traps"):  # there are ids in the rows
                assert after.total() == before[family].total(), family
            else:
                assert after == before[family], family
        for family, letters in BY_BUCKET.items():
            ranges = [bucket_range(bucket_of(host), letter) for host in HOSTS for letter in letters]
            of_buckets = sum(1 for start, stop in ranges for _ in new.scan(family, start, stop))
            paths = sum(1 for _ in new.scan("mirror", b"p", b"q")) if family == "mirror" else 0
            assert of_buckets + paths == sum(1 for _ in new.scan(family)), family


@pytest.mark.parametrize("name", ["finished", "unfinished"])
def test_ids_within_rows_are_those_of_pages(name: str, crawls: Path) -> None:
    repair(crawls / name)
    with closing(State(database_of(crawls / name), is_read_only=True)) as state:
        ids = [row for family in ("unsynced", "digest") for _, row in state.scan(family) if row]
        ids += [key[3:] for key, _ in state.scan("similar")]
        ids += [msgspec.msgpack.decode(row)[0] for _, row in state.scan("traps", b"p", b"q")]
        assert ids
        assert all(state.get("page", id_) is not None for id_ in ids)


# ── what comes of it ───────────────────────────────────────────────────────────────────────────────────


def test_a_finished_crawl_stays_finished_and_nothing_is_asked_for_again(crawls: Path) -> None:
    folder = crawls / "finished"
    before, refused = lines(folder / "pages.jsonl"), lines(folder / "refused.jsonl")
    assert Finished("repair", "finished", cwd=crawls).code == 0
    with served(older_site()) as site:
        assert Finished("resume", "finished", cwd=crawls).code == 0
        assert site.log == [], "its robots.txt are old, but its hosts have used up their budgets"
    assert lines(folder / "pages.jsonl") == before
    assert lines(folder / "refused.jsonl") == refused
    assert Finished("report", "finished", cwd=crawls).code == 0


@pytest.mark.parametrize("has_database", [True, False], ids=["carried over", "from the archive alone"])
@pytest.mark.parametrize("name", ["finished", "unfinished"])
def test_a_crawl_goes_on_to_the_pages_of_one_that_was_never_disturbed(
    name: str, has_database: bool, crawls: Path
) -> None:
    """With a larger budget a host: which pages a small one lets through depends on their order."""
    budget = ("--max-pages-per-host", "1000")
    if not has_database:
        shutil.rmtree(database_of(crawls / name))
    assert repair(crawls / name).is_carried == has_database
    done_before = pages_of(crawls / name)
    assert done_before
    with served(older_site()) as site:
        done = Finished("resume", name, *budget, cwd=crawls)
        assert done.code == 0, done.errors
        asked = Counter(f"http://{host}:{PORT}{path}" for host, path, _ in site.log if path != "/robots.txt")
        done = Finished("crawl", *URLS, "-o", "undisturbed", *OPTIONS, *budget, cwd=crawls)
        assert done.code == 0, done.errors
    pages = pages_of(crawls / name)
    assert pages == pages_of(crawls / "undisturbed")
    assert asked == Counter(pages.keys() - done_before.keys())


def test_a_repair_that_is_stopped_at_the_last_moment_is_finished_by_the_next(crawls: Path) -> None:
    folder = crawls / "unfinished"
    before = json.dumps(sorted(pages_after_carrying(folder)))
    state = folder / "state"
    # As a kill leaves it between the renaming of the old database and that of the new one.
    database_of(folder).rename(state / "db-carried")
    config = (state / "config.json").read_text()
    (state / "config.json").write_text(config.replace(f'"format": {FORMAT}', f'"format": {older.FORMAT}'))
    with pytest.raises(FolderError, match="`weft repair"):
        CrawlReader(folder)
    assert repair(folder).is_carried
    assert json.dumps(sorted(pages_of(folder))) == before


def pages_after_carrying(folder: Path) -> list[str]:
    repair(folder)
    return list(pages_of(folder))


def test_a_damaged_database_of_an_older_format_is_made_again_from_the_archive(crawls: Path) -> None:
    folder = crawls / "finished"
    before = {json.loads(line)["url"] for line in lines(folder / "pages.jsonl")}
    for table in database_of(folder).glob("*.sst"):
        data = bytearray(table.read_bytes())
        data[:200] = bytes(200)
        table.write_bytes(data)
    found = repair(folder)
    assert not found.is_carried
    assert found.old_database
    assert pages_of(folder).keys() == before


# ── mirrors ────────────────────────────────────────────────────────────────────────────────────────────


def files_of(root: Path) -> dict[str, bytes]:
    paths = (path for path in root.rglob("*") if path.is_file() and ".weft" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


def changed(site: Site) -> Site:
    site.put("/leaf/1", page("<title>new</title><p>it has changed"))
    del site.answers["127.0.0.1", "/leaf/2"]
    return site


@pytest.mark.parametrize("name", ["mirror", "updating"])
def test_an_update_of_an_older_mirror_changes_what_has_changed_and_nothing_else(name: str, crawls: Path) -> None:
    before = files_of(crawls / name)
    assert Finished("repair", name, cwd=crawls).code == 0
    with served(changed(older_site())) as site:
        done = Finished("mirror", "-o", name, "--update", *POLITE, cwd=crawls)
        assert done.code == 0, done.errors
        statuses = Counter(status for _, path, status in site.log if path != "/robots.txt")
    after = files_of(crawls / name)
    (gone,) = before.keys() - after.keys()
    assert gone.endswith("leaf/2.html")
    assert not after.keys() - before.keys()
    differ = {path for path in after if after[path] != before[path]}
    assert f"127.0.0.1@{PORT}/leaf/1.html" in differ
    assert differ <= {f"127.0.0.1@{PORT}/leaf/1.html", f"127.0.0.1@{PORT}/index.html"}  # which links to what is gone
    assert statuses[200] == 1
    assert statuses[304] > 15
