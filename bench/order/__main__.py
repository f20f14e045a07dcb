"""`make bench-order`, or a part of it:

    python -m bench.order --parts web --orders bfs,shark
    python -m bench.order --parts ideal --pages 50000
    python -m bench.order --out DIR         write the page and its pictures elsewhere than to docs

Each part stands in docs/order-bench.md between its own markers; a run of some parts leaves the others as they were.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.clean.document import with_part
from bench.command import bench_scratch
from bench.order.contenders import CONTENDERS, Contender, contenders_named
from bench.order.part import OrderPart
from bench.order.real import run_real
from bench.order.web import run_ideal, run_web
from bench.record import keep_figures
from bench.targets import must_hold
from bench.tools import PROJECT

PAGE = "order-bench.md"
PARTS = ("ideal", "web", "real")
WEBS = (1, 2, 3)
PAGES = 20_000
# Less than any real server takes, and enough that a crawl reads its pages as they come and not long after.
LATENCY_MS = 20.0


def main() -> None:
    """Run the parts, print them, and keep the figures."""
    options = _options()
    page = (PROJECT / "docs" / PAGE).read_text()
    figures: dict[str, object] = {}
    options.out.mkdir(exist_ok=True)
    with bench_scratch("order", is_kept=False) as scratch:
        for name in options.parts:
            part = _run(name, options, scratch)
            text = "\n\n\n".join([part.text, *([must_hold(part.must_hold)] if part.must_hold else [])])
            print(f"\n{text}", flush=True)
            indented = "\n".join(f"    {line}".rstrip() for line in text.splitlines())
            page = with_part(page, name, f"\n{indented}\n")
            figures |= part.figures
            for file, picture in part.pictures.items():
                (options.out / file).write_text(picture)
    keep_figures("order", figures)
    (options.out / PAGE).write_text(page)


def _run(name: str, options: argparse.Namespace, scratch: Path) -> OrderPart:
    match name:
        case "ideal":
            return run_ideal(options.webs, options.pages)
        case "web":
            return run_web(options.orders, options.webs, options.pages, options.latency_ms, scratch)
        case _:
            return run_real(options.orders, options.documents, scratch)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.order", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", type=_parts, default=list(PARTS), metavar="web,…", help="default: all")
    parser.add_argument("--orders", type=_orders, default=list(CONTENDERS), metavar="bfs,…", help="default: all")
    parser.add_argument("--webs", type=_numbers, default=list(WEBS), metavar="1,…", help="seeds of the synthetic webs")
    parser.add_argument("--pages", type=int, default=PAGES, help="of each synthetic web")
    parser.add_argument("--latency-ms", type=float, default=LATENCY_MS, help="of the synthetic webs' answers")
    parser.add_argument("--documents", type=Path, default=PROJECT / ".peers" / "documents", metavar="DIR")
    parser.add_argument("--out", type=Path, default=PROJECT / "docs", metavar="DIR", help="for the page")
    return parser.parse_args()


def _parts(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(PARTS):
        raise argparse.ArgumentTypeError(f"there is no part {', '.join(sorted(unknown))}")
    return names


def _orders(text: str) -> list[Contender]:
    return contenders_named(text.split(","))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
