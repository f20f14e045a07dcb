"""A row of Common Crawl's columnar index: its columns, and what stands in them for one archived response.

The names, their order and their meaning are Common Crawl's, so that queries written for its index work on a crawl of
one's own. `crawl` is the name of the crawl folder. `warc_segment` is empty: there is one segment only. `subset` tells
records apart as Common Crawl's folders do:

    warc               a response with a 2xx status
    crawldiagnostics   any other response: redirects, 404, …
    robotstxt          a robots.txt
    revisit            a 2xx response whose body was archived before; its record has the head only. The body is in
                       the row with the same content_digest
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, Final

from publicsuffixlist import PublicSuffixList

from weft.types import PageRow, SideRow
from weft.url import split, surt

Columns = dict[str, Any]

HOST_COLUMNS: Final = (
    "url_host_name", "url_host_tld", "url_host_2nd_last_part", "url_host_3rd_last_part", "url_host_4th_last_part",
    "url_host_5th_last_part", "url_host_registry_suffix", "url_host_registered_domain", "url_host_private_suffix",
    "url_host_private_domain", "url_host_name_reversed",
)  # fmt: skip
# In the order of Common Crawl's table.
COLUMNS: Final = (
    "url_surtkey", "url", *HOST_COLUMNS, "url_protocol", "url_port", "url_path", "url_query",
    "fetch_time", "fetch_status", "fetch_redirect", "content_digest", "content_mime_type", "content_mime_detected",
    "content_charset", "content_languages", "content_truncated", "warc_filename", "warc_record_offset",
    "warc_record_length", "warc_segment", "crawl", "subset",
)  # fmt: skip
ALWAYS: Final = frozenset({  # never null
    "url_surtkey", "url", "url_host_name", "url_protocol", "url_path", "fetch_time", "fetch_status", "warc_filename",
    "warc_record_offset", "warc_record_length", "warc_segment", "crawl", "subset",
})  # fmt: skip
_NAMED_PARTS = 5


def columns_of_page(
    row: PageRow,
    file_name: str,
    crawl: str,
    redirect: str | None = None,
    languages: str | None = None,
    detected: str | None = None,
) -> Columns:
    """What stands in the columns for a page."""
    return {
        **_columns(row, row.offset, file_name, crawl),
        "fetch_redirect": redirect,
        "content_mime_detected": detected,
        "content_charset": row.charset.upper() or None,
        "content_languages": languages,
        "content_truncated": row.truncated or None,
        "subset": _subset(row),
    }


def columns_of_robots(row: SideRow, offset: int, file_name: str, crawl: str) -> Columns:
    """What stands in the columns for a robots.txt."""
    return {**_columns(row, offset, file_name, crawl), "subset": "robotstxt"}


def _columns(row: PageRow | SideRow, offset: int, file_name: str, crawl: str) -> Columns:
    scheme, host, _, target = split(row.url)
    path, has_query, query = target.partition("?")
    return {
        "url_surtkey": surt(row.url),
        "url": row.url,
        **dict(zip(HOST_COLUMNS, parts_of_host(host), strict=True)),
        "url_protocol": scheme,
        "url_port": _port_in(row.url),
        "url_path": path,
        "url_query": query if has_query else None,
        "fetch_time": datetime.fromtimestamp(row.fetched_at, UTC),
        "fetch_status": row.status,
        "content_digest": row.digest.removeprefix("sha1:") or None,
        "content_mime_type": row.mime or None,
        "warc_filename": file_name,
        "warc_record_offset": offset,
        "warc_record_length": row.length,
        "warc_segment": "",
        "crawl": crawl,
    }


@lru_cache(maxsize=65_536)
def parts_of_host(host: str) -> tuple[str | None, ...]:
    """The values of HOST_COLUMNS. An address has no parts; a name that ends in no known suffix has no domain."""
    if ":" in host:
        return (f"[{host}]", *(None,) * 10)
    if host.rpartition(".")[2].isdigit():
        return (host, *(None,) * 10)
    name = host.removesuffix(".")
    reversed_parts = name.split(".")[::-1]
    registries, with_private = _suffixes(only_icann=True), _suffixes(only_icann=False)
    return (
        name,
        *(*reversed_parts, *(None,) * _NAMED_PARTS)[:_NAMED_PARTS],
        registries.publicsuffix(name),
        registries.privatesuffix(name),
        with_private.publicsuffix(name),
        with_private.privatesuffix(name),
        ".".join(reversed_parts),
    )


@cache
def _suffixes(*, only_icann: bool) -> PublicSuffixList:
    return PublicSuffixList(only_icann=only_icann, accept_unknown=False)


def _port_in(url: str) -> int | None:
    """The port, if the URL names one."""
    _, colon, port = url.split("/", 3)[2].rpartition(":")
    return int(port) if colon and port.isdigit() else None


def _subset(row: PageRow) -> str:
    if not 200 <= row.status < 300:
        return "crawldiagnostics"
    return "revisit" if row.original is not None else "warc"
