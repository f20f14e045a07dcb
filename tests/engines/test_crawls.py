"""Several engines crawl what one would: all of it, once, within its limits, and each host by one of them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import uvloop

import weft
from tests.pipeline.crawling import assert_fetched_the_truth, assert_server_saw_the_truth, quick_config, until
from tests.pipeline.named_sites import Answer, named_sites
from weft.api.summary import crawl_to_end
from weft.engines.cpu import cpu_now
from weft.engines.crawl import CrawlOfEngines
from weft.errors import BadInput
from weft.folder.databases import databases_of
from weft.folder.layout import load_config
from weft.folder.reading import CrawlReader
from weft.folder.refused_rows import decode_rule
from weft.live.status_file import load_status
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess

from .crawling import assert_each_host_is_one_engines, crawl_all, of_engine, resume, small_web

EVERYTHING = 1_000_000
HEAD_BYTES = 1_000  # of a response, at most


def test_several_engines_fetch_the_truth_each_host_by_one_of_them(tmp_path: Path) -> None:
    with SimProcess(small_web(seed=5)) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, engines=3))
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)
    assert_each_host_is_one_engines(files, 3)
    assert files.cdxj_lines == sorted(files.cdxj_lines)


def test_whoever_reads_the_folder_reads_all_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=6, pages=120)) as sim:
        crawl = CrawlOfEngines.create(folder, quick_config(sim, engines=2, graph=True))
        summary = uvloop.run(crawl_to_end(crawl))
        own_s = cpu_now().engine_s
        truth = sim.web.truth()
    status = load_status(folder)
    assert status is not None
    assert own_s < summary.engine_cpu_s < summary.cpu_s, "the other engine's is among it"
    assert summary.workers_cpu_s > 0
    pages = sum(200 <= status < 300 for status in truth.status.values())
    assert (summary.pages, summary.queued, status.pages, status.exit) == (pages, 0, pages, "done")
    logged = [json.loads(line) for line in (folder / "crawl.log").read_bytes().splitlines()]
    assert {line["url"] for line in logged if line["status"]} >= truth.fetchable
    with CrawlReader(folder) as reader:
        rows = {row.url: row for row in reader.rows()}
        assert {url for url, row in rows.items() if row.status} == truth.fetchable
        assert reader.counters.pages == pages
        assert reader.counters.seen == sum(1 for _ in reader.database.scan("seen"))
        keys = [key for key, _ in reader.database.scan("page")]
        assert keys == sorted(keys)
        assert all(reader.database.get("page", key) is not None for key in keys)
        for row in rows.values():
            if row.status == 200 and row.file:
                assert reader.response(row).status == 200
        assert next(reader.database.scan("graph"), None) is not None
    assert weft.report(folder).totals.pages == pages


def test_the_limit_of_pages_is_exact_and_resume_goes_on_with_any_number_of_engines(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=7, pages=180)) as sim:
        ending, files = crawl_all(folder, quick_config(sim, engines=2, max_pages=50))
        assert (ending, sum(200 <= row.status < 300 for row in files.rows)) == (Ending.LIMIT, 50)
        for engines, pages in ((1, 70), (3, 90)):
            ending, files = resume(folder, engines=engines, max_pages=pages)
            assert (ending, sum(200 <= row.status < 300 for row in files.rows)) == (Ending.LIMIT, pages)
            assert len(databases_of(folder)) == engines
        ending, files = resume(folder, engines=0, max_pages=None)
        assert len(databases_of(folder)) == 3, "as it was"
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_a_limit_of_bytes_ends_all_of_them(tmp_path: Path) -> None:
    connections, limit = 4, 60_000
    with SimProcess(small_web(seed=8)) as sim:
        config = quick_config(sim, engines=2, max_bytes=limit, connections=connections)
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.LIMIT
    largest = max(row.body_bytes for row in files.rows) + HEAD_BYTES
    with CrawlReader(tmp_path / "crawl") as reader:
        assert limit <= reader.counters.bytes < limit + connections * largest, "what was under way, as of one engine"


def test_a_redirected_seed_widens_the_scope_of_all_engines(tmp_path: Path) -> None:
    """The first seed links into a host that only the redirect of the second one brings into the scope."""
    first, second = of_engine(0, 2), of_engine(1, 2)
    home, new = f"www.{second}", f"new.{second}"

    def answer(host: str, path: str, port: int) -> Answer:
        match host, path:
            case _, "/robots.txt":
                return 404, {}, ""
            case name, "/" if name == first:
                return 200, {}, f'<a href="http://{new}:{port}/from-first">in the scope later</a><a href="/2">on</a>'
            case name, "/" if name == home:
                return 302, {"Location": f"http://{new}:{port}/"}, ""
        return 200, {}, "a page"

    with named_sites((first, home, new), answer) as sites:
        config = sites.config(first, home, scope="host", engines=2)
        ending, _ = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.DONE
    assert sites.pages(new) == {"/", "/from-first"}
    assert sites.pages(first) == {"/", "/2"}


def test_a_robots_txt_on_another_engines_host_is_fetched_by_that_one(tmp_path: Path) -> None:
    here, there = of_engine(0, 2), of_engine(1, 2)

    def answer(host: str, path: str, port: int) -> Answer:
        if path == "/robots.txt" and host == here:
            return 301, {"Location": f"http://{there}:{port}/rules"}, ""
        if path == "/rules":
            return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n"
        if path == "/robots.txt":
            return 404, {}, ""
        return 200, {}, '<a href="/private/x">forbidden</a><a href="/open">open</a>'

    with named_sites((here, there), answer) as sites:
        ending, _ = crawl_all(tmp_path / "crawl", sites.config(here, engines=2, scope="host"))
    assert ending is Ending.DONE
    assert sites.pages(here) == {"/", "/open"}
    assert [asked.path for asked in sites.of(there)] == ["/rules"]


def test_an_engine_without_pages_to_fetch_still_asks_for_anothers_robots_txt(tmp_path: Path) -> None:
    here, there = of_engine(0, 2), of_engine(1, 2)

    def answer(host: str, path: str, port: int) -> Answer:
        if path == "/robots.txt":
            return (301, {"Location": f"http://{there}:{port}/rules"}, "") if host == here else (404, {}, "")
        return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n"

    with named_sites((here, there), answer) as sites:
        ending, _ = crawl_all(tmp_path / "crawl", sites.config(here, engines=2, max_pages=1))
    assert (ending, sites.pages(here), sites.pages(there)) == (Ending.LIMIT, {"/"}, {"/rules"})


def test_what_a_rule_left_out_is_found_again_by_the_other_engine_when_the_rule_is_gone(tmp_path: Path) -> None:
    """Only a page of engine 0 links to it, and engine 1 had it in its queue, and forgot it."""
    here, there = of_engine(0, 2), of_engine(1, 2)

    def answer(host: str, path: str, port: int) -> Answer:
        body = f'<a href="http://{there}:{port}/hidden">to be found</a>' if (host, path) == (here, "/") else "a page"
        return (404, {}, "") if path == "/robots.txt" else (200, {}, body)

    folder = tmp_path / "crawl"
    with named_sites((here, there), answer) as sites:
        crawl_all(folder, sites.config(here, there, engines=2, blocked_hosts=(there,)))
        resume(folder, blocked_hosts=(), exclude=("*/hidden",))
        assert sites.pages(there) == {"/"}
        resume(folder, exclude=())
        assert sites.pages(there) == {"/", "/hidden"}


def test_a_link_that_several_engines_refuse_is_listed_once_and_explained(tmp_path: Path) -> None:
    hosts = [of_engine(engine, 3) for engine in range(3)]

    def answer(host: str, path: str, port: int) -> Answer:
        links = "".join(f'<a href="http://{name}:{port}/no/{host}">x</a>' for name in hosts)
        links += "".join(f'<a href="http://{name}:{port}/no/all">x</a>' for name in hosts)
        return (404, {}, "") if path == "/robots.txt" else (200, {}, links)

    folder = tmp_path / "crawl"
    with named_sites(tuple(hosts), answer) as sites:
        crawl_all(folder, sites.config(*hosts, engines=3, exclude=("*/no/*",)))
        urls = {f"http://{name}:{sites.port}/no/{path}" for name in hosts for path in (*hosts, "all")}
        assert sorted(refused_in(folder)) == sorted(urls)
        for url in urls:
            assert "*/no/*" in weft.explain(url, folder).words
        resume(folder, engines=2)
        assert sorted(refused_in(folder)) == sorted(urls)
        with CrawlReader(folder) as reader:
            counts = [decode_rule(row) for _, row in reader.database.scan("rule")]
    assert [row.listed for row in counts] == [6, 6, 6], "each of three links to each host, and one from each of them"


def refused_in(folder: Path) -> list[str]:
    return [json.loads(line)["url"] for line in (folder / "refused.jsonl").read_bytes().splitlines()]


def test_no_page_at_all_is_told_as_of_one_engine(tmp_path: Path) -> None:
    def answer(host: str, path: str, port: int) -> Answer:
        return 404, {}, ""

    with named_sites(("a.test",), answer) as sites:
        ending, _ = crawl_all(tmp_path / "crawl", sites.config("a.test", engines=2))
    assert ending is Ending.SEEDS_FAILED


def test_what_a_person_says_reaches_all_engines_and_is_kept(tmp_path: Path) -> None:
    hosts = [of_engine(engine, 2) for engine in (0, 1)]
    more = [f"more.{host}" for host in hosts]

    def answer(host: str, path: str, port: int) -> Answer:
        body = (
            "" if path != "/" else "".join(f'<a href="/{number}">x</a><a href="/no/{number}">y</a>' for number in "12")
        )
        return (404, {}, "") if path == "/robots.txt" else (200, {}, body)

    async def crawl_and_steer(crawl: CrawlOfEngines) -> Ending:
        task = asyncio.create_task(crawl.run())
        await until(lambda: crawl.steering is not None)
        steering = crawl.steering
        assert steering is not None
        steering.exclude("*/no/*")
        steering.add_seeds([f"http://{host}:{sites.port}/" for host in more])
        steering.set_rate(1000.0)
        steering.pause(paused=False)
        return await task

    folder = tmp_path / "crawl"
    with named_sites((*hosts, *more), answer) as sites:
        created = CrawlOfEngines.create(folder, sites.config(*hosts, engines=2, scope="host", paused=True))
        assert isinstance(created, CrawlOfEngines)
        ending = uvloop.run(asyncio.wait_for(crawl_and_steer(created), 120))
    assert ending is Ending.DONE
    assert [sites.pages(host) for host in (*hosts, *more)] == [{"/", "/1", "/2"}] * 4
    kept = load_config(folder)
    assert (kept.exclude, kept.rate, kept.paused, len(kept.seeds), kept.connections) == (
        ("*/no/*",), 1000.0, False, 4, created.config.connections,
    )  # fmt: skip


def test_who_reads_the_pages_in_a_loop_has_one_engine(tmp_path: Path) -> None:
    async def read(folder: Path, **settings: object) -> list[str]:
        return [page.url async for page in weft.crawl(output=folder, **settings)]  # type: ignore[arg-type]

    with SimProcess(small_web(seed=9, pages=60)) as sim:
        folder = tmp_path / "crawl"
        crawl_all(folder, quick_config(sim, engines=2, max_pages=20))
        with pytest.raises(BadInput, match=r"engines=2 is for run\(\)"):
            uvloop.run(read(folder, max_pages=EVERYTHING))
        read_now = uvloop.run(read(folder, max_pages=EVERYTHING, engines=1))
        truth = sim.web.truth()
    assert len(databases_of(folder)) == 1
    assert len(read_now) == sum(200 <= status < 300 for status in truth.status.values()) - 20
