"""`weft explain`: what has become of a URL or a host of a crawl, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from weft.api.explain import explain as explain_in
from weft.cli.printing import printable, printed
from weft.explain.result import Authority, Explanation, Found, HostExplanation, Linked, UrlExplanation, Visited
from weft.stats.verdict import counted

Fact = tuple[str, str]  # a heading of a few letters, and what there is to say

LABEL_CHARS = 12


def explain(
    what: Annotated[str, typer.Argument(metavar="URL", help="A URL; or the name of a host, without http://.")],
    folders: Annotated[
        list[Path],
        typer.Option(
            "--crawl",
            metavar="DIR",
            help="The crawl folder, or a mirror; once for each node's, of one cluster's crawl. It may still run.",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
) -> None:
    """Explain what became of a URL or a host, and why.

    Of a URL: its canonical form, where it was found, whether it was fetched and how that ended, whether it waits and
    for what, or which rule or line of robots.txt refused it. Of a host: its delay and who asked for it, its robots.txt,
    its addresses and failures. The crawl may be finished, killed or running. docs/explain.md has examples.

    Exit codes: 0 done; 2 bad input; 6 the folder cannot be used.
    """
    found = explain_in(what, folders)
    with printed() as out:
        if as_json:  # in ASCII: whatever a server wrote, a terminal shows it as letters
            out.write(json.dumps(msgspec.to_builtins(found)).encode() + b"\n")
        else:
            for line in lines_of(found):
                out.write(printable(line).encode(errors="replace") + b"\n")


def lines_of(found: Explanation) -> Iterator[str]:
    """The answer first, then what is known beside it."""
    yield found.url if isinstance(found, UrlExplanation) else found.host
    yield found.words
    facts = _of_url(found) if isinstance(found, UrlExplanation) else _of_host(found)
    for label, text in facts:
        yield f"  {label:<{LABEL_CHARS}}{text}"


def _of_url(found: UrlExplanation) -> Iterator[Fact]:
    yield from (("canonical", change) for change in found.changes)
    if found.found is not None:
        yield from _of_found(found.found)
    if found.linked is not None:
        yield from _of_links(found.linked)
    if found.visited is not None:
        yield from _of_visit(found.visited)
    yield from (("try", f"{one.at}: {one.words}") for one in found.tries)
    if found.waiting is not None and found.waiting.until:
        yield "not before", found.waiting.until
    if found.refused is not None:
        yield "reason", f"{found.refused.reason}" + f", {found.refused.rule}" * bool(found.refused.rule)
    yield from (("remark", remark) for remark in found.remarks)


def _of_found(found: Found) -> Iterator[Fact]:
    yield "found", found.words + f", asked for at {found.at}" * bool(found.at)
    way = f", on the way {found.hops}" * bool(found.hops)
    seed = f" from the seed {found.seed}" * bool(found.seed)
    yield "depth", f"{found.depth}{way}{seed}"


def _of_links(linked: Linked) -> Iterator[Fact]:
    least = "at least " * linked.is_cut
    yield "linked by", f"{least}{counted(linked.count, 'page')}"
    yield from (("", page) for page in linked.pages)
    if linked.count > len(linked.pages):
        yield "", f"and {linked.count - len(linked.pages):,} more"


def _of_visit(visit: Visited) -> Iterator[Fact]:
    kind = f", {visit.media_type}" * bool(visit.media_type)
    yield "answer", f"{visit.outcome}, status {visit.status}, {counted(visit.bytes, 'byte')}{kind}"
    if visit.title:
        yield "title", visit.title
    if visit.address:
        yield "address", visit.address
    if visit.file:
        yield "archive", f"archive/{visit.file}, {counted(visit.length, 'byte')} from {visit.offset:,} on"
    yield from (("remark", remark) for remark in visit.remarks)


def _of_host(found: HostExplanation) -> Iterator[Fact]:
    yield "delay", f"{found.delay_s:g} s: {found.delay}"
    if found.addresses:
        yield "addresses", ", ".join(found.addresses)
    if found.failures:
        yield "failures", f"{found.failures:,} in a row"
    if found.left:
        yield "left", found.left
    if found.rests_until:
        yield "rests", f"until {found.rests_until}"
    for authority in found.authorities:
        yield from _of_authority(authority)
    for robots in found.robots:
        yield "robots.txt", f"{robots.file}: {robots.words}"
        yield from (("", f"line {line.number}: {line.text}") for line in robots.lines)
        if robots.line_count > len(robots.lines):
            yield "", f"and {robots.line_count - len(robots.lines):,} more"
    if found.refused:
        yield "refused", ", ".join(f"{reason} {count:,}" for reason, count in found.refused.items())
    yield from (("remark", remark) for remark in found.remarks)


def _of_authority(authority: Authority) -> Iterator[Fact]:
    parts = [f"left for another run ({authority.left})"] if authority.left else []
    parts += [f"{counted(authority.failures, 'failure')} in a row"] if authority.failures else []
    parts += [f"rests until {authority.rests_until}"] if authority.rests_until else []
    yield "authority", authority.name + (f": {', '.join(parts)}" if parts else "")
