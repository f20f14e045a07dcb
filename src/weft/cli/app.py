"""The commands and their flags."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console

from weft._version import __version__
from weft.cli.demo import demo
from weft.cli.exits import Exit
from weft.cli.runner import run_crawl
from weft.config import CrawlConfig, Scope
from weft.errors import BadInput, CrawlFolderError, DiskFull, WeftError
from weft.pipeline.crawl import Crawl
from weft.url import canonicalize, host_of

app = typer.Typer(
    name="weft",
    help="A web crawler: polite, complete, crash-proof and fast.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: names are never cut off, whatever the width
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(help="Crawl a small synthetic web on this machine, and check the result against its truth.")(demo)

DEFAULTS = CrawlConfig()

Depth = Annotated[int | None, typer.Option("--depth", min=0, help="Follow links at most so far from a seed.")]
MaxPages = Annotated[int | None, typer.Option(min=1, help="Stop after so many pages.")]
MaxBytes = Annotated[int | None, typer.Option(min=1, help="Stop after so many bytes received.")]
MaxTime = Annotated[float | None, typer.Option(min=0, help="Stop after so many seconds.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def main() -> None:
    """Run weft; every expected error becomes one sentence and an exit code."""
    sys.path.append(os.getcwd())  # a user's own filter lies where the user is
    try:
        app()
    except DiskFull as error:
        _fail(error, Exit.DISK_FULL)
    except CrawlFolderError as error:
        _fail(error, Exit.FOLDER)
    except BadInput as error:
        _fail(error, Exit.BAD_INPUT)
    except WeftError as error:
        _fail(error, Exit.FAILED)
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(Exit.INTERRUPTED)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"weft {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    pass


@app.command()
def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Where to begin.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The crawl folder. [default: crawl-HOST]"),
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="A file of seed URLs, one a line; - reads standard input."),
    ] = None,
    depth: Depth = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    scope: Annotated[
        str, typer.Option(help="How far from the seeds: host, domain, prefix (the seed's folder) or any.")
    ] = DEFAULTS.scope,
    include: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Visit only URLs like this.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Visit no URL like this.")] = None,
    refuse_suffix: Annotated[
        list[str] | None, typer.Option(metavar="SUFFIX", help="Visit no URL whose path ends so: zip, mp4 …")
    ] = None,
    url_filter: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="MODULE:NAME", help="Your own URL filter, by import path."),
    ] = None,
    sitemap: Annotated[bool, typer.Option("--sitemap", help="Also visit what the seeds' sitemaps name.")] = False,
    obey_rel_nofollow: Annotated[
        bool, typer.Option("--obey-rel-nofollow", help="Do not follow links marked rel=nofollow.")
    ] = False,
    max_pages_per_host: Annotated[int | None, typer.Option(min=1, help="Visit at most so many URLs of a host.")] = None,
    requisites: Annotated[bool, typer.Option(help="Also fetch images, scripts and style sheets.")] = False,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between two requests to a host.")] = DEFAULTS.delay_s,
    connections_per_host: Annotated[int, typer.Option(min=1, help="Connections to a host at once.")] = 1,
    connections: Annotated[int, typer.Option(min=1, help="Connections in all.")] = DEFAULTS.connections,
    max_host_wait: Annotated[
        float, typer.Option(min=0, help="Leave a host for later that wants a longer rest, in seconds.")
    ] = DEFAULTS.max_host_wait_s,
    max_body: Annotated[int, typer.Option(min=1, help="Cut off bodies at so many bytes.")] = DEFAULTS.max_body_bytes,
    order: Annotated[str, typer.Option(help="Which URLs first: bfs.")] = DEFAULTS.order,
    user_agent: Annotated[str, typer.Option(help="How to introduce yourself to servers, with a contact.")] = "",
    header: Annotated[list[str] | None, typer.Option(metavar="'NAME: VALUE'", help="Send this header too.")] = None,
    auth: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST=USER:PASSWORD", help="Log in to this host by basic authentication."),
    ] = None,
    cookies: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep cookies, beginning with those of a Netscape cookie file.")
    ] = None,
    proxy: Annotated[str, typer.Option(metavar="URL", help="Go through this HTTP proxy.")] = "",
    insecure: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="Accept any certificate and old TLS from this host.")
    ] = None,
    ca_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Trust these authorities too, in PEM form.")
    ] = None,
    connections_per_address: Annotated[
        int, typer.Option(min=1, help="Connections to an IP address at once, at least as many as to a host.")
    ] = DEFAULTS.connections_per_address,
    dns_server: Annotated[list[str] | None, typer.Option(metavar="IP[:PORT]", help="Ask this DNS server.")] = None,
    ignore_robots: Annotated[bool, typer.Option("--ignore-robots", help="Do not ask for robots.txt.")] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Also crawl private and loopback addresses.")
    ] = False,
    workers: Annotated[int, typer.Option(min=0, help="Parse workers; 0 chooses by the number of cores.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Crawl from one or more URLs into a folder.

    In a PATTERN only * is special, and stands for anything: '*/calendar/*' looks at the whole URL, '/private/*' at its
    path, 're:...' is a regular expression.

    Exit codes: 0 done; 1 unexpected error; 2 bad input; 3 a limit was reached, or hosts were left for later; 4 not one
    page could be fetched; 5 disk full; 6 the folder cannot be used; 130 interrupted.
    """
    if scope not in get_args(Scope):
        raise BadInput(f"unknown scope {scope!r}; known are {', '.join(get_args(Scope))}")
    all_seeds = tuple(urls or ()) + _read_seeds(seeds)
    if not all_seeds:
        raise BadInput("nothing to crawl: give a URL, or a file of URLs with --seeds")
    config = CrawlConfig(
        seeds=all_seeds,
        depth=depth,
        max_pages=max_pages,
        max_bytes=max_bytes,
        max_time_s=max_time,
        scope=scope,  # type: ignore[arg-type]  # checked above
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        refuse_suffixes=tuple(refuse_suffix or ()),
        filters=tuple(url_filter or ()),
        requisites=requisites,
        sitemaps=sitemap,
        obey_rel_nofollow=obey_rel_nofollow,
        max_pages_per_host=max_pages_per_host,
        auth=tuple(_login(text) for text in auth or ()),
        cookie_file=str(cookies) if cookies else "",
        proxy=proxy,
        ca_file=str(ca_file) if ca_file else "",
        insecure_hosts=tuple(insecure or ()),
        connections_per_address=connections_per_address,
        delay_s=delay,
        connections_per_host=connections_per_host,
        connections=connections,
        max_host_wait_s=max_host_wait,
        max_body_bytes=max_body,
        order=order,
        user_agent=user_agent,
        headers=tuple(_header(text) for text in header or ()),
        dns_servers=tuple(dns_server or ()),
        ignore_robots=ignore_robots,
        allow_private=allow_private,
        workers=workers,
    )
    folder = output or Path(f"crawl-{host_of(canonicalize(all_seeds[0]))}")
    if not quiet and not user_agent:
        Console(stderr=True).print(
            "Servers' owners like to know whom to ask: --user-agent 'mybot/1.0 (+https://example.org/bot)' tells them.",
            style="dim",
        )
    raise typer.Exit(run_crawl(Crawl.create(folder, config), as_json=as_json, quiet=quiet))


@app.command()
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder.")],
    depth: Depth = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a crawl that was stopped, killed or cut off; limits may be raised."""
    given = {"depth": depth, "max_pages": max_pages, "max_bytes": max_bytes, "max_time_s": max_time}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    raise typer.Exit(run_crawl(Crawl.resume(folder, **changes), as_json=as_json, quiet=quiet))


def _read_seeds(source: str | None) -> tuple[str, ...]:
    if source is None:
        return ()
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the seeds from {source}: {error}") from error
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise BadInput(f"a header must look like 'Name: value', not {text!r}")
    return name.strip(), value.strip()


def _login(text: str) -> tuple[str, str]:
    host, equals, login = text.partition("=")
    if not equals or not host or ":" not in login:
        raise BadInput("a login must look like example.org=user:password")
    return host, login


def _fail(error: WeftError, code: Exit) -> None:
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"weft: {error}", markup=False)
    sys.exit(code)
