"""The README.md of a dataset: a head for Hugging Face's hub, then how it was made, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from weft._version import __version__
from weft.export.content import uses_templates
from weft.export.format import Source
from weft.export.tally import REASONS
from weft.stats.verdict import counted

if TYPE_CHECKING:
    import pyarrow

_LICENSE: Final = "# license:  # yours to fill in: https://huggingface.co/docs/hub/repositories-licenses"
_SIZES: Final = tuple(10**power for power in range(3, 13))
_WORDS: Final = ("", "K", "M", "B", "T")
_MEANINGS: Final = {
    "html": "the page as it came, decoded",
    "text": "the words that a reader sees, each block on a line of its own",
    "markdown": "the whole page as Markdown",
    "article": "the main content as Markdown",
    "url": "where it was fetched",
    "fetch_time": "when",
    "content_languages": "the language of its text, ISO 639-3; if that cannot be told, what the page says",
    "content_digest": "SHA-1 of the body, in Base32",
    "warc_filename": "where the response lies in the crawl's archive, with offset and length",
}
_OF_INDEX: Final = "as in Common Crawl's index"


def data_card(source: Source, schema: pyarrow.Schema, sizes: list[int], license_line: str = "") -> str:
    """The card of a dataset that was just written in files of these sizes."""
    parts = [_head(source, license_line), f"# {source.reader.name}", _made(source, sizes)]
    parts += ["## Columns", _columns(schema), "## What was left out", _left_out(source)]
    return "\n\n".join([*parts, _rights()]) + "\n"


def _head(source: Source, license_line: str) -> str:
    languages = sorted(tag for tag in source.tally.languages if tag)
    lines = ["---", license_line or _LICENSE]
    if languages:
        lines += ["language:", *(f'- "{tag}"' for tag in languages)]
    lines += ["size_categories:", f"- {size_category(source.tally.pages)}"]
    lines += ["configs:", "- config_name: default", "  data_files:", "  - split: train", '    path: "data/*.parquet"']
    return "\n".join([*lines, "---"])


def size_category(rows: int) -> str:
    """As the hub names sizes: `10K<n<100K`."""
    if rows < _SIZES[0]:
        return "n<1K"
    place = max(number for number, size in enumerate(_SIZES) if rows >= size)
    if place == len(_SIZES) - 1:
        return "n>1T"
    return f"{_short(_SIZES[place])}<n<{_short(_SIZES[place + 1])}"


def _short(size: int) -> str:
    power = (len(str(size)) - 1) // 3
    return f"{size // 1000**power}{_WORDS[power]}"


def _made(source: Source, sizes: list[int]) -> str:
    tally, content = source.tally, source.content
    lines = [
        f"{counted(tally.pages, 'page')} of a crawl, in {counted(len(sizes), 'Parquet file')}.",
        f"All of it has {sum(sizes) / 1e6:,.1f} MB.",
        f"Made by weft {__version__}: `weft export --to huggingface`.",
        f"Of each page: {', '.join(content.forms) or 'its index'}.",
    ]
    if uses_templates(source.reader, content):
        lines.append("What stands on many pages of a site, such as a notice below each, is not in its articles.")
    if content.languages:
        lines.append(f"Languages that were asked for: {', '.join(content.languages)}, told by the {content.judged_by}.")
    if content.min_length or content.max_length is not None:
        most = "any number of" if content.max_length is None else f"{content.max_length:,}"
        lines.append(f"The {content.judged_by} has {content.min_length:,} to {most} characters.")
    if content.no_near_duplicates:
        lines.append(
            f"Of pages whose {content.judged_by} is almost the same (simhash of word pairs, at most 3 of 64 bits "
            "differ), one is in it: the first by the hash of its URL."
        )
    told = [(tag, count) for tag, count in tally.languages.most_common() if tag]
    if told:
        lines.append("Languages: " + ", ".join(f"{tag} {count:,}" for tag, count in told[:20]) + ".")
    return "\n".join(lines)


def _columns(schema: pyarrow.Schema) -> str:
    rows = (f"| `{one.name}` | {one.type} | {_MEANINGS.get(one.name, _OF_INDEX)} |" for one in schema)
    return "\n".join(["| column | type | what it is |", "|---|---|---|", *rows])


def _left_out(source: Source) -> str:
    rows = (f"| {why} | {source.tally.left_out[why]:,} |" for why in REASONS)
    return "\n".join(["| why | pages |", "|---|---|", *rows])


def _rights() -> str:
    return (
        "## Rights\n\nThe pages are their authors'. Whether you may pass them on, and under which license, is for you "
        "to say: fill in `license` above."
    )
