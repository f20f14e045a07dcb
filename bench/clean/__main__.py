"""`make bench-clean`, or a part of it:

python -m bench.clean --parts contest --rounds 1
python -m bench.clean --parts designs --databases SQLite --designs B1S1D,C1S1D --pages 2000
python -m bench.clean --scale small --design-rounds 1     a few minutes
python -m bench.clean --write-docs              and put the tables into docs/clean-bench.md
python -m bench.clean --from-results --write-docs   the tables of the last run, without a new one
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import msgspec

from bench.clean.contest import Entry, run_contest
from bench.clean.databases import DATABASE_NAMES, open_databases
from bench.clean.document import contest_part, experiment_part, write_document
from bench.clean.experiment import SCALES, Run, Sizes, all_designs, run_experiment
from bench.clean.pages import FOLDER, NoPages, read_corpus
from bench.measure import CommandFailed
from bench.record import RESULTS, keep_figures, say

RESULTS_NAME = "clean"
PARTS = ("designs", "contest")


class Figures(msgspec.Struct):
    """What a run found."""

    pages: str = ""
    runs: list[Run] = []
    contest: list[Entry] = []


def main() -> None:
    """Measure, print the tables, keep the figures."""
    options = _options()
    signal.signal(signal.SIGTERM, _be_ended)
    if options.from_results:
        figures, failure = msgspec.json.decode((RESULTS / f"{RESULTS_NAME}.json").read_bytes(), type=Figures), ""
    else:
        figures = Figures()
        failure = measure(figures, options)
        keep_figures(RESULTS_NAME, msgspec.structs.asdict(figures))
    print("\n\n".join([figures.pages, *_parts(figures, as_markdown=False).values()]))
    if failure:
        sys.exit(f"bench: {failure}")
    if options.write_docs:
        write_document({"pages": figures.pages, **_parts(figures, as_markdown=True)})


def _be_ended(number: int, frame: object) -> NoReturn:
    """An end by SIGTERM should also end the server, remove the scratch folder, and keep what was found."""
    raise CommandFailed(f"ended by {signal.Signals(number).name}")


def measure(figures: Figures, options: argparse.Namespace) -> str:
    """Run what was asked for. What was found until then is not lost by a failure, which is told."""
    scratch = Path(tempfile.mkdtemp(prefix="weft-clean-"))
    try:
        corpus = read_corpus(options.folder)
        figures.pages = corpus.described()
        say(figures.pages)
        if "contest" in options.parts:
            figures.contest = run_contest(corpus, options.contest_pages, options.rounds, options.peers, scratch)
        if "designs" in options.parts:
            sizes = Sizes(options.pages, min(options.slow_pages, options.pages))
            with open_databases(options.databases, scratch) as databases:
                rounds = options.design_rounds
                for run in run_experiment(databases, options.designs, corpus, sizes, rounds, scratch):
                    figures.runs.append(run)
    except (NoPages, CommandFailed) as error:
        return str(error)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return ""


def _parts(figures: Figures, *, as_markdown: bool) -> dict[str, str]:
    parts = {}
    if figures.runs:
        parts["designs"] = experiment_part(figures.runs, as_markdown=as_markdown)
    if figures.contest:
        parts["contest"] = contest_part(figures.contest, as_markdown=as_markdown)
    return parts


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    for name, all_names in (("parts", PARTS), ("databases", DATABASE_NAMES), ("designs", all_designs())):
        told = f"some of: {','.join(all_names)}"
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=list(all_names), help=told)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the pages are")
    parser.add_argument("--peers", type=Path, default=Path(".peers"), help="the peers' environment")
    parser.add_argument(
        "--scale", choices=SCALES, default="full", help="how many pages, where the next two say nothing"
    )
    parser.add_argument("--pages", type=int, help="for C1S1D and weft")
    parser.add_argument("--slow-pages", type=int, help="for the designs that go page by page")
    parser.add_argument("--design-rounds", type=int, default=2)
    parser.add_argument("--contest-pages", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=3, help="of the contest")
    parser.add_argument("--write-docs", action="store_true", help="put the tables into docs/clean-bench.md")
    parser.add_argument("--from-results", action="store_true", help="do not measure: print the last run's tables")
    options = parser.parse_args()
    options.pages = options.pages or SCALES[options.scale].pages
    options.slow_pages = options.slow_pages or SCALES[options.scale].slow_pages
    return options


if __name__ == "__main__":
    main()
