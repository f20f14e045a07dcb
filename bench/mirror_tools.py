"""weft and the mirroring programs that people use: how each is called. Why so: docs/mirror-bench.md.

All obey robots.txt, name themselves by the same User-Agent, wait for nothing between requests, and make links local.
"""

from __future__ import annotations

from bench.tools import WEFT, Job, Tool, program

CONNECTIONS = 8
# None of the rules in robots.txt is for this name, so all follow those for everybody.
USER_AGENT = "Mozilla/5.0 (compatible; mirror-bench)"
FILES = "files"  # the folder of the mirror, in the folder of a run
MOST_LINKS = 10_000_000


def mirror_tools(*, is_late: bool) -> list[Tool]:
    """Every tool, in the order of the table; HTTrack is at its best by other settings where responses are late."""
    return [
        Tool("weft", _weft, is_weft=True),
        program("wget", _wget, note="one connection, as it always has"),
        program("wget2", _wget2),
        program("httrack", _httrack_late if is_late else _httrack),
    ]


def _weft(job: Job) -> list[str]:
    return [
        *WEFT, "mirror", *job.seeds, "--allow-private", "--delay", "0", "--connections", str(job.connections),
        "--connections-per-host", str(job.connections), "--user-agent", USER_AGENT, "--json", "--quiet",
        "-o", str(job.folder / FILES),
    ]  # fmt: skip


def _wget(job: Job) -> list[str]:
    """-m: all depths, files get the server's time; -k: links made local; -p: what pages need; -E: extensions."""
    return ["wget", "-q", "-m", "-k", "-p", "-E", "-U", USER_AGENT, "-P", str(job.folder / FILES), *job.seeds]


def _wget2(job: Job) -> list[str]:
    asked = ["-U", USER_AGENT, f"--max-threads={job.connections}", "-P", str(job.folder / FILES), *job.seeds]
    return ["wget2", "-q", "-m", "-k", "-p", "-E", *asked]


def _httrack(job: Job) -> list[str]:
    """-%! with -%c0 and -A0 takes its limits away; -s2 obeys robots.txt; -C0, -I0, -f0: no cache, index, log."""
    free = ["-%!", f"-c{job.connections}", "-%c0", "-A0", f"-#L{MOST_LINKS}"]
    plain = ["-s2", "-F", USER_AGENT, "-C0", "-I0", "-f0"]
    return ["httrack", *job.seeds, "-O", str(job.folder / FILES), "-q", *free, *plain]


def _httrack_late(job: Job) -> list[str]:
    """-%N1: .html is a page. Else it waits for the type of each link before it goes on to the next."""
    return [*_httrack(job), "-%N1"]
