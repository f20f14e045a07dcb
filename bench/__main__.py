"""`python -m bench`: crawl the site by weft and by Scrapy in turn, and print what a page costs each."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from bench.https_ways import HttpsBench
from bench.measure import CommandFailed, Measured
from bench.record import keep_figures, say
from bench.scrapy_run import crawl_by_scrapy, scrapy_version
from bench.site import Server, SiteError, find_site, served
from bench.table import Round, must_hold, summed_up, table
from bench.truth import reachable
from bench.weft_run import Completeness, check_completeness, crawl_by_weft
from weft import __version__

SHOWN_URLS = 5
HTTPS_PAGES = 3_000


def main() -> None:
    """Run the bench; what is missing is said in one sentence."""
    options = _options()
    # An end by SIGTERM should also end nginx and remove the scratch folder.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    scratch = Path(tempfile.mkdtemp(prefix="weft-bench-"))
    try:
        if options.https:
            limit = options.limit_pages or HTTPS_PAGES
            HttpsBench(find_site(), scratch, rounds=options.rounds, max_pages=limit, note=_cap(limit)).run()
        else:
            with served(find_site(), scratch) as server:
                Bench(options, server, scratch).run()
    except (SiteError, CommandFailed) as error:
        sys.exit(f"bench: {error}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    finally:
        if options.keep:
            print(f"kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)


class Bench:
    """All rounds on one server."""

    def __init__(self, options: argparse.Namespace, server: Server, scratch: Path) -> None:
        self._options = options
        self._server = server
        self._scratch = scratch
        self._rounds: list[Round] = []

    def run(self) -> None:
        """Crawl, check, print, and keep the figures."""
        # Also brings every file into the page cache, so that no tool pays for the disk.
        truth = reachable(self._server.folder, self._server.start_url)
        say(f"site: {len(truth):,} files can be reached at {self._server.start_url}")
        folder = self._scratch / "crawl-1"
        for number in range(1, self._options.rounds + 1):
            folder = self._scratch / f"crawl-{number}"
            self._weft_round(folder)
            if number == 1 and self._options.only is None:
                self._scrapy_round()
            if number < self._options.rounds and not self._options.keep:
                shutil.rmtree(folder)
        completeness = check_completeness(folder, truth, is_whole=self._options.limit_pages is None)
        self._report(completeness, len(truth))

    def _weft_round(self, folder: Path) -> None:
        limit = self._options.limit_pages
        server_before_s = self._server.cpu_s()
        summary, measured = crawl_by_weft(self._server.start_url, self._scratch, folder, max_pages=limit)
        self._keep(
            "weft", summary.pages, measured, server_before_s, _cap(limit),
            engine_cpu_s=summary.engine_cpu_s, workers_cpu_s=summary.workers_cpu_s,
        )  # fmt: skip

    def _scrapy_round(self) -> None:
        limit = self._options.scrapy_pages or self._options.limit_pages
        server_before_s = self._server.cpu_s()
        pages, measured = crawl_by_scrapy(self._server.start_url, self._scratch, max_pages=limit)
        self._keep("scrapy", pages, measured, server_before_s, _cap(limit))

    def _keep(
        self,
        tool: str,
        pages: int,
        measured: Measured,
        server_before_s: float,
        note: str,
        engine_cpu_s: float | None = None,
        workers_cpu_s: float | None = None,
    ) -> None:
        found = Round(
            tool=tool,
            pages=pages,
            seconds=measured.seconds,
            cpu_s=measured.cpu_s,
            peak_memory_bytes=measured.peak_memory_bytes,
            server_cpu_s=self._server.cpu_s() - server_before_s,
            engine_cpu_s=engine_cpu_s,
            workers_cpu_s=workers_cpu_s,
            note=note,
        )
        self._rounds.append(found)
        say(f"{tool}: {pages:,} pages in {found.seconds:.1f} s, CPU {found.cpu_s:.1f} s")

    def _report(self, completeness: Completeness, reachable_count: int) -> None:
        tools = list(dict.fromkeys(r.tool for r in self._rounds))
        rows = [summed_up([r for r in self._rounds if r.tool == tool]) for tool in tools]
        print()
        print(table(rows))
        print(f"nginx beside them: {', '.join(f'{row.server_ms:.2f} ms a page ({row.tool})' for row in rows)}")
        print()
        print(_completeness_lines(completeness, reachable_count))
        print(must_hold(rows[0]))
        keep_figures("bench", {
            "versions": {"weft": __version__} | ({"scrapy": scrapy_version()} if len(rows) > 1 else {}),
            "reachable": reachable_count,
            "completeness": completeness,
            "tools": rows,
            "rounds": self._rounds,
        })  # fmt: skip


def _completeness_lines(found: Completeness, reachable_count: int) -> str:
    missed = "missed: not asked, the crawl was limited" if found.missed is None else f"missed {len(found.missed):,}"
    lines = [
        f"completeness: {found.pages:,} of {reachable_count:,} reachable files stored; {missed}; "
        f"twice {len(found.twice):,}; unexpected {len(found.unexpected):,}"
    ]
    for name, urls in (("missed", found.missed), ("twice", found.twice), ("unexpected", found.unexpected)):
        lines += [f"  {name}: {url}" for url in (urls or [])[:SHOWN_URLS]]
    return "\n".join(lines)


def _cap(limit: int | None) -> str:
    return f"stopped at about {limit:,} pages, so not the same pages as in a whole crawl" if limit else ""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=_at_least_one, default=3, metavar="N", help="crawls by weft; default 3")
    parser.add_argument("--scrapy-pages", type=_at_least_one, metavar="N", help="stop Scrapy after so many pages")
    parser.add_argument("--limit-pages", type=_at_least_one, metavar="N", help="stop every crawl after so many pages")
    parser.add_argument("--only", choices=["weft"], help="leave Scrapy out")
    parser.add_argument(
        "--https",
        action="store_true",
        help=f"weft alone: http beside https, kept alive and not; {HTTPS_PAGES:,} pages each by default",
    )
    parser.add_argument("--keep", action="store_true", help="keep the crawl folders and logs")
    return parser.parse_args()


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    main()
