"""weft with one order and a budget, as a user runs it: `weft crawl --order NAME --max-pages N`."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.measure import die_with_parent
from bench.order.contenders import Contender
from bench.record import say
from bench.rounds import EXIT_DONE, EXIT_LIMIT
from bench.tools import WEFT

# Few at once: what is under way when a page is read was chosen without it.
CONNECTIONS = 8


class CannotCrawl(Exception):
    """This order did not crawl; the message is weft's own."""


def crawl(
    contender: Contender, topic: Sequence[str], seeds: Sequence[str], folder: Path, *,
    budget: int | None, per_host: int, dns: str | None = None,
) -> None:  # fmt: skip
    """Crawl; who serves the pages knows what was fetched."""
    words = [*WEFT, "crawl", *seeds, "--allow-private", "--delay", "0", "--quiet", "-o", str(folder)]
    words += ["--connections", str(CONNECTIONS), "--connections-per-host", str(per_host), "--fixed"]
    words += ["--connections-per-address", str(CONNECTIONS), *contender.flags(topic)]
    words += ["--dns-server", dns, "--scope", "any"] if dns else ["--scope", "host"]
    words += ["--max-pages", str(budget)] if budget is not None else []
    say(f"{contender.name}: {budget or 'all'} pages")
    done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=die_with_parent)
    if done.returncode not in (EXIT_DONE, EXIT_LIMIT):
        raise CannotCrawl((done.stderr.strip() or f"weft ended with {done.returncode}").splitlines()[-1])


def in_order(fetched: Sequence[str], numbers: dict[str, int], budget: int | None = None) -> list[int]:
    """The pages among what was fetched, each where it came first, up to the budget."""
    visits = dict.fromkeys(numbers[url] for url in fetched if url in numbers)
    return list(visits)[:budget]
