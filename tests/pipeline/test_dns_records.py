"""What the name servers said is in the archive."""

from __future__ import annotations

from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from weft.simweb import SimProcess, WebSpec

from .crawling import crawl_all, quick_config


def test_the_addresses_of_each_host_are_archived_once(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=6, pages=30, robots_share=0)) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim))
        addresses = {host.name: sim.web.address_of(host.name) for host in sim.web.hosts}
    answers: dict[str, list[str]] = {}
    for path in sorted((tmp_path / "crawl" / "archive").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_headers.get_header("Content-Type") == "text/dns":
                    host = record.rec_headers.get_header("WARC-Target-URI").removeprefix("dns:")
                    answers.setdefault(host, []).append(record.content_stream().read().decode())
    assert answers.keys() == addresses.keys()
    for host, texts in answers.items():
        assert len(texts) == 1
        when, line, end = texts[0].split("\n")
        assert (len(when), end) == (14, "")
        assert line.split("\t") == [f"{host}.", "300", "IN", "A", addresses[host]]
