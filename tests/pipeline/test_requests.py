"""What functions ask for beside links: sent as it was asked for, archived, indexed, once each."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.types import Refusal

from .crawling import CrawlFiles, is_clean_for_warcio, run
from .live_site import Answer, html
from .posting_site import Asked, PostingSite, posting

HERE = f"{__package__}.askers"


def shop(asked: Asked) -> Answer:
    """A home page without links, a search, an API, a page that nothing leads to."""
    match asked.method, asked.path:
        case "GET", "/":
            return html("welcome", "home")
        case "POST", "/search":
            return html(f'<a href="/found/{asked.body.decode().rpartition("=")[2]}">x</a>', f"search {asked.body!r}")
        case "GET", "/search":
            return html("an empty form", "form")
        case "GET", "/api":
            return 200, {"Content-Type": "application/json"}, "{}"
    return html("a page", asked.path)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Crawl, list[Asked], str]:
    folder = tmp_path_factory.mktemp("requests") / "crawl"
    with posting(shop) as site:
        crawl = Crawl.create(folder, site.config(extractors=(f"{HERE}:search",), refuse_suffixes=(".png",)))
        run(crawl)
        return folder, crawl, site.asked, site.origin


Crawled = tuple[Path, Crawl, list[Asked], str]


def test_a_request_is_sent_with_its_method_body_and_headers_once(crawled: Crawled) -> None:
    _, _, asked, _ = crawled
    requests = Counter((one.method, one.path, one.body) for one in asked)
    assert requests == Counter(
        [
            ("GET", "/", b""),
            ("POST", "/search", b"q=tea+pot"),
            ("POST", "/search", b"q=kettle"),
            ("GET", "/api", b""),
            ("GET", "/hidden", b""),
            ("GET", "/found/tea+pot", b""),
            ("GET", "/found/kettle", b""),
        ]
    )
    post = next(one for one in asked if one.body == b"q=kettle")
    assert post.headers["Content-Type"] == "application/x-www-form-urlencoded"
    api = next(one for one in asked if one.path == "/api")
    assert (api.headers["X-Token"], api.headers["Authorization"]) == ("t1", "Bearer hush")
    assert "X-Token" not in post.headers


def test_what_functions_ask_for_in_vain_is_counted_as_refused_links_are(crawled: Crawled) -> None:
    _, crawl, _, origin = crawled
    assert crawl.counters.refused == {Refusal.SCOPE: 1, Refusal.SUFFIX: 1, Refusal.SCHEME: 2}
    folder = crawled[0]
    (line,) = [json.loads(line) for line in (folder / "refused.jsonl").read_bytes().splitlines()]
    assert (line["url"], line["reason"]) == (f"{origin}/mailto.png", "suffix")


def test_items_beside_requests_are_kept(crawled: Crawled) -> None:
    folder, _, asked, _ = crawled
    items = [json.loads(line) for line in (folder / "items.jsonl").read_bytes().splitlines()]
    assert len(items) == len(asked)
    assert Counter(item["title"].startswith("search") for item in items)[True] == 2


def test_the_archive_has_what_was_sent_without_what_is_secret(crawled: Crawled) -> None:
    folder, _, _, origin = crawled
    files = CrawlFiles(folder)
    assert is_clean_for_warcio(files)
    sent: dict[str, list[bytes]] = {}
    for path in files.warcs:
        assert b"hush" not in path.read_bytes()
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                raw = record.raw_stream.read()
                assert b"hush" not in raw
                if record.rec_type == "request":
                    sent.setdefault(record.rec_headers.get_header("WARC-Target-URI"), []).append(
                        record.http_headers.statusline.encode() + b"\n" + record.http_headers.to_ascii_bytes() + raw
                    )
    posts = sent[f"{origin}/search"]
    assert sorted(post.rpartition(b"\r\n\r\n")[2] for post in posts) == [b"q=kettle", b"q=tea+pot"]
    assert all(b"POST /search HTTP/1.1" in post for post in posts)
    assert b"Authorization: [removed]" in sent[f"{origin}/api"][0]


def test_rows_tell_posts_apart_and_their_responses_are_read_back(crawled: Crawled) -> None:
    folder, _, _, origin = crawled
    with CrawlReader(folder) as reader:
        pages = {
            (page.row.parts.body if page.row.parts else b""): page
            for page in reader.pages()
            if page.url == f"{origin}/search"
        }
        assert pages.keys() == {b"q=kettle", b"q=tea+pot"}
        assert all(page.title == f"search {body!r}" for body, page in pages.items())
    for name in ("pages.jsonl", "crawl.log", "refused.jsonl", "index.cdxj", "items.jsonl"):
        assert b"hush" not in (folder / name).read_bytes()


def linked(asked: Asked) -> Answer:
    """A home page with links, a picture and a search."""
    if asked.method == "POST":
        return 302, {"Location": "/result"}, ""
    return html('<a href="/link">x</a><img src="/picture.gif">', "home" if asked.path == "/" else asked.path)


@pytest.mark.parametrize("requisites", [False, True])
def test_only_what_functions_ask_for_is_followed_where_that_is_wanted(requisites: bool, tmp_path: Path) -> None:
    with posting(linked) as site:
        config = site.config(extractors=(f"{HERE}:search",), follow="yielded", requisites=requisites)
        run(Crawl.create(tmp_path / "crawl", config))
    needed = {"/picture.gif"} if requisites else set()
    assert {one.path for one in site.asked} == {"/", "/search", "/result", "/api", "/hidden", "/mailto.png"} | needed


def api(asked: Asked) -> Answer:
    """Five pages of quotes, by POST."""
    if asked.method == "GET":
        return html("the docs")
    page = json.loads(asked.body)["page"]
    answer = {"quotes": [f"{page}a", f"{page}b"], "next": page + 1 if page < 5 else None}
    return 200, {"Content-Type": "application/json"}, json.dumps(answer)


def test_a_json_api_is_read_page_by_page_and_a_deeper_limit_goes_on_where_it_ended(tmp_path: Path) -> None:
    with posting(api) as site:
        run(Crawl.create(tmp_path / "crawl", site.config(extractors=(f"{HERE}:pages_of_api",), depth=2)))
        assert site.posts() == [b'{"page":1}', b'{"page":2}']
        run(Crawl.resume(tmp_path / "crawl", depth=None))
    assert site.posts() == [b'{"page":%d}' % page for page in range(1, 6)]
    items = [json.loads(line)["quote"] for line in (tmp_path / "crawl" / "items.jsonl").read_bytes().splitlines()]
    assert sorted(items) == [f"{page}{part}" for page in range(1, 6) for part in "ab"]
    keys = [line.split(b" ")[0] for line in CrawlFiles(tmp_path / "crawl").cdxj_lines if b"__wb_method" in line]
    assert [key.rpartition(b")/")[2] for key in keys] == [
        b"api/quotes?__wb_method=post&page=%d" % n for n in range(1, 6)
    ]


def busy(asked: Asked) -> Answer | None:
    """Hangs up once, says once that it is busy, then answers."""
    if asked.method == "POST":
        tries = sum(one.body == asked.body for one in SITE[-1].asked if one.method == "POST")
        if tries < 3:
            return None if tries == 1 else (503, {}, "")
    return html("", "home")


SITE: list[PostingSite] = []


def test_a_post_that_fails_is_tried_again_on_a_new_connection(tmp_path: Path) -> None:
    with posting(busy) as site:
        SITE.append(site)
        run(Crawl.create(tmp_path / "crawl", site.config(extractors=(f"{HERE}:search",), connections_per_host=1)))
    posts = [one for one in site.asked if one.body == b"q=kettle"]
    assert len(posts) == 3
    assert len({one.connection for one in posts}) == 3
    row = next(row for row in CrawlFiles(tmp_path / "crawl").rows if row.url.endswith("/search"))
    assert (row.status, row.outcome) == (200, "response")
