"""What `weft doctor` looks at, each with its verdict and with what to do."""

from __future__ import annotations

import asyncio
import platform
import shutil
from collections.abc import Sequence
from enum import StrEnum
from importlib import metadata
from typing import Final

import msgspec

from weft._version import __version__
from weft.errors import BadInput, FetchError
from weft.missing_library import how_to_install

USUAL_CONNECTIONS: Final = 256  # what a crawl of many hosts makes good use of
# Files besides connections: the database's, WARC files, workers, spooled bodies.
OTHER_FILES: Final = 128
COMFORTABLE_FILES: Final = 4096

ANSWER_WITHIN_S: Final = 2.0
ASKED_NAME: Final = "example.org"  # any answer will do, "no such name" too

# As in pyproject.toml; a test keeps the two equal.
LIBRARIES: Final = (
    "ada-url", "ahocorasick-rs", "aiodns", "brotli", "isal", "msgspec", "publicsuffixlist", "rbloom", "rich",
    "rocksdict", "sqlalchemy", "turbohtml", "typer", "uvloop", "xxhash", "zstandard",
)  # fmt: skip
OPTIONAL_PARTS: Final = {
    "nats-py": "`weft cluster` and `weft node`",
    "psycopg": "`weft clean` with PostgreSQL",
    "pyarrow": "`weft export --to parquet` and `--items x.parquet`",
    "pypdfium2": "the text of PDFs",
    "scipy": "`weft rank` and `weft export --to graph`",
    "starlette": "`weft dashboard`",
    "uvicorn": "`weft dashboard`",
}


class Level(StrEnum):
    """How bad it is."""

    OK = "OK"
    WARN = "warn"
    PROBLEM = "problem"


class Finding(msgspec.Struct, frozen=True):
    """One line of the doctor's report."""

    level: Level
    subject: str
    said: str
    advice: str = ""  # what to do


def python() -> Finding:
    """The interpreter."""
    said = f"{platform.python_version()} ({platform.python_implementation()}), weft {__version__}"
    return Finding(Level.OK, "Python", said)


def libraries(names: Sequence[str] = LIBRARIES) -> Finding:
    """The libraries without which nothing works."""
    versions = {name: version_of(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        return Finding(Level.PROBLEM, "libraries", f"missing: {', '.join(missing)}", how_to_install(*missing))
    return Finding(Level.OK, "libraries", ", ".join(f"{name} {version}" for name, version in versions.items()))


def optional_parts(parts: dict[str, str] = OPTIONAL_PARTS) -> list[Finding]:
    """Libraries that only some commands want. Not to have them is no fault."""
    found = []
    for name, used_by in parts.items():
        version = version_of(name)
        said = f"{version}, for {used_by}" if version else f"not installed; needed for {used_by} only"
        found.append(Finding(Level.OK, name, said, "" if version else f"if you want it: {how_to_install(name)}"))
    return found


def version_of(distribution: str) -> str | None:
    """The version that is installed; None if it is not."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def compiler(path: str | None = None) -> Finding:
    """A C compiler, which only the optional C part wants; `path` is where to look, by default as the shell does."""
    found = shutil.which("cc", path=path) or shutil.which("gcc", path=path) or shutil.which("clang", path=path)
    if found:
        return Finding(Level.OK, "compiler", found)
    said = "none found; only parts that are built from C want one, and weft runs without them"
    return Finding(Level.OK, "compiler", said, "if you want it: apt install gcc, or your system's like")


def scanner() -> Finding:
    """The part in C that finds links."""
    from weft.parse.scan import has_scanner  # here: a library that it wants may be missing

    if has_scanner():
        return Finding(Level.OK, "link scanner", "built")
    said = "not built; pages are read by their trees: the same links, for several times the CPU"
    return Finding(Level.OK, "link scanner", said, "install a C compiler, then install weft again")


def file_limit(soft: int, hard: int) -> Finding:
    """How many files may be open; weft raises its limit to the hard one by itself."""
    said = f"{_files(soft)}, at most {_files(hard)} (weft takes the most by itself)"
    needed = USUAL_CONNECTIONS + OTHER_FILES
    most = COMFORTABLE_FILES if hard < 0 else hard  # resource.RLIM_INFINITY is -1
    if most < needed:
        advice = f"raise it (ulimit -Hn {COMFORTABLE_FILES}, as root), or crawl with --connections {max(1, most // 2)}"
        return Finding(Level.PROBLEM, "file limit", said, advice)
    if most < COMFORTABLE_FILES:
        advice = f"for more than {most - OTHER_FILES} --connections raise it: ulimit -Hn {COMFORTABLE_FILES}, as root"
        return Finding(Level.WARN, "file limit", said, advice)
    return Finding(Level.OK, "file limit", said)


def _files(limit: int) -> str:
    return "unlimited" if limit < 0 else f"{limit:,}"


async def name_servers(servers: Sequence[str], within_s: float = ANSWER_WITHIN_S) -> list[Finding]:
    """Whether the name servers answer. One that does is enough, so a silent one beside it is only a warning."""
    if not servers:
        return [Finding(Level.PROBLEM, "DNS", "no server is known", "name one in /etc/resolv.conf, or by --dns-server")]
    troubles = await asyncio.gather(*(_trouble_with(server, within_s) for server in servers))
    bad = Level.WARN if None in troubles else Level.PROBLEM
    return [
        Finding(Level.OK, "DNS", f"{server} answers")
        if trouble is None
        else Finding(bad, "DNS", f"{server}: {trouble}", "name another in /etc/resolv.conf, or by --dns-server")
        for server, trouble in zip(servers, troubles, strict=True)
    ]


async def _trouble_with(server: str, within_s: float) -> str | None:
    from weft.dns.name_servers import NameServers
    from weft.dns.server_address import checked_server

    try:
        asked = NameServers([checked_server(server)], timeout_s=within_s, tries=2, ipv6=False)
    except BadInput as error:
        return str(error)
    try:
        await asked.ask(ASKED_NAME)
    except FetchError as error:
        return f"no answer within {within_s:g} s ({error.detail})"
    finally:
        await asked.close()
    return None
