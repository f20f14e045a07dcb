"""What `weft extract` takes over 100,000 pages: one worker, two, and by hand with warcio and selectolax in one process.

    python -m bench.extract_cost make DIR [PAGES]            the archive, without a crawl (a minute or two)
    python -m bench.extract_cost run DIR [ROUNDS] [PYTHON]   the three in turn; the best of each counts

PYTHON is one that has warcio and selectolax, as that of `.peers` has; this one by default. Each makes the same items,
which is checked. The pages are shop pages of some 15 KB; what is extracted are their rows.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

import weft
from bench.made_archive import MadePage, make_archive

PAGES = 100_000
ROWS = 24
ROUNDS = 3
TARGET = 1.8
BY_HAND = Path(__file__).parent / "peers" / "warcio_selectolax.py"
_WORDS = (
    "red",
    "green",
    "blue",
    "kettle",
    "teapot",
    "cup",
    "plate",
    "bowl",
    "glass",
    "steel",
    "wood",
    "large",
    "small",
)


def products(page: weft.Page) -> Iterator[dict[str, object]]:
    """What is measured: the rows of a shop page."""
    document = page.document
    heading = document.select("h1")[0].text
    for row in document.select("li.product"):
        yield {
            "url": page.url,
            "shop": heading,
            "name": row.select("h3")[0].text,
            "price": float(row.select(".price")[0].text),
            "link": row.select("a")[0].attrs["href"],
        }


def shop_page(number: int, dice: random.Random) -> MadePage:
    """A page with a menu, rows, and text."""
    menu = "".join(f"<li><a href='/shop/{dice.randrange(PAGES)}'>{dice.choice(_WORDS)}</a></li>" for _ in range(60))
    rows = "".join(
        f"<li class='product'><a href='/item/{number}-{row}'><img src='/i/{number}-{row}.jpg' alt=''></a>"
        f"<h3>{' '.join(dice.choices(_WORDS, k=3))}</h3><p>{' '.join(dice.choices(_WORDS, k=40))}.</p>"
        f"<span class='price'>{dice.randrange(100, 90_000) / 100}</span></li>"
        for row in range(ROWS)
    )
    text = "".join(f"<p>{' '.join(dice.choices(_WORDS, k=60))}.</p>" for _ in range(12))
    html = (
        f"<!DOCTYPE html><html lang=en><head><title>Shop {number}</title></head><body><nav><ul>{menu}</ul></nav>"
        f"<main><h1>Shop {number}</h1><ul>{rows}</ul>{text}</main></body></html>"
    )
    return MadePage(f"http://site.test/shop/{number}", html.encode())


class Took(NamedTuple):
    """A run."""

    seconds: float
    cpu_s: float

    def __str__(self) -> str:
        return f"{self.seconds:7.1f} s, CPU {self.cpu_s:7.1f} s"


def took(command: list[str]) -> Took:
    """Run a program to its end."""
    began = time.monotonic()
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(Path.cwd())})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} ended with {process.returncode}")
    return Took(time.monotonic() - began, usage.ru_utime + usage.ru_stime)


def run(folder: Path, rounds: int, python: str) -> None:
    """Measure, and print."""
    scratch = folder.with_name(folder.name + ".out")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    best: dict[str, Took] = {}
    items: dict[str, Path] = {}
    for _ in range(rounds):
        for name in ("one worker", "two workers", "by hand"):
            items[name] = out = scratch / f"{name.replace(' ', '-')}.jsonl"
            out.unlink(missing_ok=True)
            if name == "by hand":
                command = [python, str(BY_HAND), str(folder / "archive"), str(out)]
            else:
                workers = "1" if name == "one worker" else "2"
                weft_extract = [sys.executable, "-m", "weft", "extract", str(folder), "bench.extract_cost:products"]
                command = [*weft_extract, "-o", str(out), "--workers", workers, "--quiet"]
            found = took(command)
            print(f"{name:12} {found}", flush=True)
            best[name] = min(best.get(name, found), found)
    _assert_same(items)
    one, two, hand = best["one worker"].seconds, best["two workers"].seconds, best["by hand"].seconds
    print(f"two workers are {one / two:.2f} × as fast as one (target: {TARGET})")
    print(f"weft with one worker is {hand / one:.2f} × as fast as by hand, with two {hand / two:.2f} ×")
    shutil.rmtree(scratch)


def _assert_same(items: dict[str, Path]) -> None:
    """Whatever their order: how many there are, and the sum of their hashes."""

    def told(path: Path) -> tuple[int, int]:
        count = total = 0
        with path.open("rb") as file:
            for line in file:
                item = msgspec.json.encode(msgspec.json.decode(line), order="deterministic")
                total += int.from_bytes(blake2b(item, digest_size=8).digest(), "big")
                count += 1
        return count, total

    first, *others = (told(path) for path in items.values())
    if any(other != first for other in others):
        sys.exit("they did not make the same items")
    print(f"{first[0]:,} items, the same from all three")


def main() -> None:
    """Make or measure."""
    what, folder, *rest = sys.argv[1:]
    if what == "make":
        dice = random.Random(1)
        pages = int(rest[0]) if rest else PAGES
        make_archive(Path(folder), (shop_page(number, dice) for number in range(pages)))
    else:
        run(Path(folder), int(rest[0]) if rest else ROUNDS, rest[1] if len(rest) > 1 else sys.executable)


if __name__ == "__main__":
    main()
