"""weft's CPU beside trafilatura's: `python -m bench.article.cpu --corpus DIR --peers .peers`.

Both read the same pages in turn, each round in processes of their own, so that what else the machine does hits both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from bench.article.__main__ import run_extractors
from bench.article.corpus import read_corpus
from bench.article.weft_extractors import WEFT

PEER = "trafilatura"


def main() -> None:
    """Measure, and print the table and the ratio of the medians."""
    parser = argparse.ArgumentParser(prog="python -m bench.article.cpu", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--peers", type=Path, default=Path(".peers"))
    parser.add_argument("--every", type=int, default=5, help="one page of N is read")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pages = read_corpus(options.corpus)[:: options.every]
    rounds: dict[str, list[float]] = {WEFT: [], PEER: []}
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.json")
        job.write_text(json.dumps([(page.url, page.path) for page in pages]))
        for _ in range(options.rounds):
            for name, cpu_ms in rounds.items():
                python = sys.executable if name == WEFT else str(options.peers / "bin/python")
                cpu_s, _ = run_extractors(python, job, name)[name]
                cpu_ms.append(cpu_s / len(pages) * 1000)
    print(table(rounds, len(pages)))


def table(rounds: dict[str, list[float]], pages: int) -> str:
    """A row an extractor, and how they compare."""
    rows = ["| extractor | pages | CPU ms/page, median | least | most |\n|---|---|---|---|---|"]
    for name, cpu_ms in rounds.items():
        rows.append(f"| {name} | {pages} | {statistics.median(cpu_ms):.2f} | {min(cpu_ms):.2f} | {max(cpu_ms):.2f} |")
    ratio = statistics.median(rounds[PEER]) / statistics.median(rounds[WEFT])
    return "\n".join((*rows, f"{WEFT} takes 1/{ratio:.1f} of {PEER}'s CPU"))


if __name__ == "__main__":
    main()
