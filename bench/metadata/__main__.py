"""`make bench-metadata CORPUS=DIR`, or a part of it:

python -m bench.metadata --corpus DIR --half dev --readers weft --show date
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from bench.metadata.corpus import HALVES, NoCorpus, TruePage, read_corpus
from bench.metadata.readers import READERS, Read
from bench.metadata.scores import Score, are_same_authors, is_same_title, score
from bench.record import keep_figures, say

REPOSITORY = Path(__file__).parent.parent.parent


def main() -> int:
    """Read, score, print the table."""
    options = _options()
    try:
        pages = read_corpus(options.corpus, options.half)
    except NoCorpus as error:
        print(error, file=sys.stderr)
        return 2
    scores = []
    for reader in options.readers:
        python = sys.executable if reader == "weft" else str(options.peers / "bin" / "python")
        if not Path(python).is_file():
            say(f"{reader} is left out: there is no {python}")
            continue
        found, cpu_s = _read(reader, python, pages)
        scores.append(score(reader, pages, found, cpu_s))
        if options.show:
            _show(options.show, reader, pages, found)
    print(_table(scores))
    keep_figures("metadata", {"half": options.half, "scores": [msgspec.structs.asdict(row) for row in scores]})
    return 0


def _read(reader: str, python: str, pages: list[TruePage]) -> tuple[list[Read], float]:
    with tempfile.TemporaryDirectory(prefix="weft-metadata-") as scratch:
        job, out = Path(scratch, "job.json"), Path(scratch, "out.json")
        job.write_text(json.dumps([(page.url, page.path) for page in pages]))
        command = [python, "-m", "bench.metadata.readers", reader, str(job), str(out)]
        subprocess.run(command, cwd=REPOSITORY, check=True)
        told = json.loads(out.read_text())
    return told["found"], told["cpu_s"]


def _table(scores: list[Score]) -> str:
    lines = ["| reader | titles | dates | authors | CPU ms a page |", "|---|---|---|---|---|"]
    lines += [
        f"| {row.reader} | {_share(row.titles, row.true_titles)} | {_share(row.dates, row.true_dates)} "
        f"| {_share(row.authors, row.true_authors)} | {row.cpu_ms:.2f} |"
        for row in scores
    ]
    return "\n".join(lines)


def _share(right: int, known: int) -> str:
    return f"{right} of {known} ({right / known:.1%})" if right and known else "–"


def _show(field: str, reader: str, pages: list[TruePage], found: list[Read]) -> None:
    """What is wrong, to read."""
    for page, told in zip(pages, found, strict=True):
        true, said, is_right = {
            "title": (page.title, told["title"], is_same_title(page.title, told["title"])),
            "date": (page.date, told["date"], told["date"][:10] == page.date),
            "author": (page.authors, told["authors"], are_same_authors(page.authors, told["authors"])),
        }[field]
        if true and not is_right:
            print(f"{reader}: {page.url}\n    {Path(page.path).name}\n    {true!r}\n    {said!r}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.metadata", description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, help="a folder with evaldata.json and its pages")
    parser.add_argument("--half", choices=HALVES, default="test")
    parser.add_argument("--peers", type=Path, default=REPOSITORY / ".peers", help="the peers' environment")
    parser.add_argument("--readers", type=lambda text: text.split(","), default=list(READERS))
    parser.add_argument("--show", choices=("title", "date", "author"), help="what was read wrongly")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
