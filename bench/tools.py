"""The tools: how each is called for a job, and what it is short of. Why these settings: docs/benchmarks.md.

All obey robots.txt, wait for nothing between requests, and follow the links of a, area, frame and iframe.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

PROJECT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(__file__).parent / "peers"
# The command `weft` itself, also where it is not on the PATH.
WEFT = [sys.executable, "-c", "from weft.cli import main; main()"]
NO_SCANNER = {"WEFT_NO_SCANNER": "1"}
EVEN_WORKERS = {"PYTHONPATH": str(Path(__file__).parent / "even_workers")}
CPU_BOUND = ("a", "b")  # corpora where nothing has to be waited for
MANY_HOSTS = ("b", "c", "d", "e", "e1", "f")
MANY_SEEDS = ("a", "b", "c", "d", "e", "e1")
LINK_TAGS = "--follow-tags=a,area,frame,iframe"
# By --follow-tags wget2 takes every attribute for a link, so that half of its requests are for pages that do not exist.
OTHER_TAGS = "--ignore-tags=img,link,script"
WGET2_THREADS = 5  # its default
HTTRACK_CONNECTIONS = 8  # its default
SPIDER, ONE_WEBSITE = "spider", "spider, one website"
AS_MANY_AS_SPIDER = "weft, spider's connections"
NICE_0, NO_ARCHIVE = "weft, nice 0", "weft, no archive"
SPIDER_PACKAGE = Path("node_modules/@spider-rs/spider-rs-linux-x64-gnu")


class Job(msgspec.Struct, frozen=True):
    """What a tool is asked to do; the peers' scripts read it as JSON."""

    seeds: list[str]
    hosts: list[str]
    connections: int
    ca_file: Path | None
    folder: Path  # the tool's own, empty
    domain: str | None = None  # of all hosts, where they are to be found from one seed
    max_pages: int | None = None  # only for weft, which can count; the others are stopped from outside


class Tool(msgspec.Struct, frozen=True):
    """One line of the table."""

    name: str
    command: Callable[[Job], list[str]]
    missing: str = ""  # why it cannot be run here
    is_weft: bool = False
    is_slow: bool = False  # stopped sooner, so that the bench ends
    only_on: tuple[str, ...] = ()  # corpora on which it tells something; none named: all
    environment: Mapping[str, str] = {}
    as_many_as: str = ""  # it may have as many connections as this tool was seen to have, not the corpus's number
    note: str = ""
    version: str = ""


def weft(name: str, *extra: str, environment: Mapping[str, str] | None = None, is_automatic: bool = False) -> Tool:
    """weft as it is by default: robots obeyed, every page written to a WARC file. Automatic: it is told no number."""

    def command(job: Job) -> list[str]:
        seeds = job.folder.parent / f"{job.folder.name}.seeds"
        seeds.write_text("\n".join(job.seeds))
        words = [
            *WEFT, "crawl", "--seeds", str(seeds), "--allow-private", "--scope", "domain" if job.domain else "host",
            "--delay", "0",
            "--connections-per-host", str(job.connections), "--json", "--quiet", "-o", str(job.folder / "crawl"),
        ]  # fmt: skip
        if not is_automatic and "--connections" not in extra:
            words += ["--connections", str(job.connections)]
        if job.max_pages is not None:
            words += ["--max-pages", str(job.max_pages)]
        if job.ca_file is not None:
            words += ["--ca-file", str(job.ca_file)]
        return [*words, *extra]

    return Tool(name, command, is_weft=True, environment=environment or {})


def all_tools(peers: Path) -> list[Tool]:
    """Every tool, in the order of the table; `peers` is the environment of the peers."""
    return [
        weft("weft"),
        msgspec.structs.replace(weft("weft, no scanner", environment=NO_SCANNER), only_on=CPU_BOUND),
        msgspec.structs.replace(weft(NICE_0, environment=EVEN_WORKERS), only_on=CPU_BOUND),
        _no_archive(),
        _python(peers, "scrapy", "scrapy_docs.py", "scrapy", is_slow=True, note="as its documentation shows it"),
        _python(peers, "scrapy, tuned", "scrapy_tuned.py", "scrapy", is_slow=True),
        _python(peers, "crawlee", "crawlee_run.py", "crawlee", is_slow=True),
        _spider(peers, SPIDER),
        msgspec.structs.replace(weft(AS_MANY_AS_SPIDER), only_on=("c",), as_many_as=SPIDER),
        _spider(peers, ONE_WEBSITE, is_one_website=True),
        _python(peers, "aiohttp", "aiohttp_selectolax.py", "aiohttp"),
        program("wget", _wget, is_slow=True, note="one connection, as it always has"),
        program("wget2", _wget2),
        msgspec.structs.replace(program("wget2", _wget2_few), name="wget2, 5 threads", only_on=CPU_BOUND),
        program("httrack", _httrack, is_slow=True),
        msgspec.structs.replace(
            program("httrack", _httrack_pages, is_slow=True), name="httrack, pages kept", only_on=CPU_BOUND
        ),
    ]


def _no_archive() -> Tool:
    """What it costs to fetch and to follow alone, as the peers do that store nothing."""
    missing = "" if "--archive" in _said_all([*WEFT, "crawl", "--help"]).split() else "this weft has no --archive"
    return msgspec.structs.replace(weft(NO_ARCHIVE, "--archive", "none"), only_on=CPU_BOUND, missing=missing)


def _python(peers: Path, name: str, script: str, package: str, *, is_slow: bool = False, note: str = "") -> Tool:
    python = peers / "bin" / "python"

    def command(job: Job) -> list[str]:
        return [str(python), str(SCRIPTS / script), str(_job_file(job))]

    asked = _said([str(python), "-c", f"import importlib.metadata as m; print(m.version({package!r}))"])
    missing = "" if asked else f"the package {package} is not in {peers.name}: make {peers.name}/ready"
    return Tool(name, command, missing, is_slow=is_slow, note=note, version=asked)


def _spider(peers: Path, name: str, *, is_one_website: bool = False) -> Tool:
    """A website is one host to spider: either as many websites as hosts, or one that others belong to."""
    manifest = peers / SPIDER_PACKAGE / "package.json"
    missing = ""
    if shutil.which("node") is None:
        missing = "there is no node here: run bench/install-peers"
    elif not manifest.is_file():
        missing = f"its binding for Node is not in {peers.name} (it is only made for Linux on x86-64)"

    def command(job: Job) -> list[str]:
        trusted = ["env", f"SSL_CERT_FILE={job.ca_file}"] if job.ca_file else []
        return [*trusted, "node", str(SCRIPTS / "spider.js"), str(_job_file(job)), *(["one"] if is_one_website else [])]

    return Tool(
        name,
        command,
        missing,
        only_on=MANY_HOSTS if is_one_website else MANY_SEEDS,
        environment={"PEERS": str(peers)},
        note="its binding has no setting for the number of connections",
        version=str(msgspec.json.decode(manifest.read_bytes())["version"]) if not missing else "",
    )


def program(name: str, command: Callable[[Job], list[str]], *, is_slow: bool = False, note: str = "") -> Tool:
    """A program that Debian has."""
    missing = "" if shutil.which(name) else "not installed: run bench/install-peers"
    return Tool(name, command, missing, is_slow=is_slow, note=note, version=_said([name, "--version"]))


def _wget(job: Job) -> list[str]:
    seeds = _seed_file(job)
    trusted = [f"--ca-certificate={job.ca_file}"] if job.ca_file else []
    kept = ["-P", str(job.folder)]
    return ["wget", "-q", "-r", "-l", "inf", LINK_TAGS, *_spanning(job), *trusted, *kept, "-i", str(seeds)]


def _wget2(job: Job) -> list[str]:
    return _wget2_by(job, job.connections)


def _wget2_few(job: Job) -> list[str]:
    return _wget2_by(job, WGET2_THREADS)


def _wget2_by(job: Job, threads: int) -> list[str]:
    trusted = [f"--ca-certificate={job.ca_file}"] if job.ca_file else []
    plain = ["wget2", "-q", "-r", "-l", "inf", OTHER_TAGS, f"--max-threads={threads}", *_spanning(job), *trusted]
    return [*plain, "--delete-after", "-P", str(job.folder), "-i", str(_seed_file(job))]  # it writes nothing at all


def _spanning(job: Job) -> list[str]:
    """For wget and wget2: the other hosts of the domain, too."""
    return ["-H", f"--domains={job.domain}"] if job.domain else []


def _httrack(job: Job) -> list[str]:
    """-p0: nothing is stored."""
    return _httrack_by(job, job.connections, "-p0")


def _httrack_pages(job: Job) -> list[str]:
    """-p1 keeps HTML alone; -%P0: links of tags, not of scripts; with its default of connections."""
    return _httrack_by(job, HTTRACK_CONNECTIONS, "-%P0", "-p1")


def _httrack_by(job: Job, connections: int, *chosen: str) -> list[str]:
    """-%! with -%c0 and -A0 takes its limits away; -s2 obeys robots.txt; -C0, -I0, -f0: no cache, index, log."""
    free = ["-%!", f"-c{connections}", "-%c0", "-A0", *(["-d"] if job.domain else [])]
    plain = ["-s2", "-r999999", *chosen, "-C0", "-I0", "-f0"]
    return ["httrack", *job.seeds, "-O", str(job.folder), "-q", *free, *plain]


def _job_file(job: Job) -> Path:
    file = job.folder / "job.json"
    file.write_bytes(msgspec.json.encode(job, enc_hook=str))
    return file


def _seed_file(job: Job) -> Path:
    file = job.folder / "seeds.txt"
    file.write_text("\n".join(job.seeds) + "\n")
    return file


def _said(command: list[str]) -> str:
    """The first line of what a command prints, or nothing if it cannot be run."""
    return _said_all(command).partition("\n")[0]


def _said_all(command: list[str]) -> str:
    if shutil.which(command[0]) is None:
        return ""
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout.strip() if told.returncode == 0 else ""
