"""What a corpus costs: `weft export --to huggingface` with language and near-duplicate filters, at growing sizes.

    python -m bench.export_corpus DIR [PAGES,PAGES] [PYTHON]

makes an archive of each size in DIR (without a crawl), exports it, and prints CPU, memory and what was left out.
PYTHON is one that has datasets, duckdb and polars (`pip install datasets duckdb polars`): each opens the result there,
and must count the same rows. A tenth of the pages are near duplicates, a third of the others in another language.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]

from bench.made_archive import MadePage, make_archive

SIZES = (10_000, 100_000)
SAMPLED_EVERY_S = 0.2
MIB = 1024 * 1024
FLAGS = "--with article --language en,de --min-length 200 --no-near-duplicates --shard-size 5M --quiet"
# Words that follow each other in these languages; numbers between them make each page another.
SENTENCES = {
    "en": "the people of the village had known for a long time that the river would rise again when spring came "
    "and the snow of the mountains melted so they carried their things to the upper floor of the house",
    "de": "die Leute im Dorf wussten schon seit langer Zeit dass der Fluss im Frühjahr wieder steigen würde wenn "
    "der Schnee auf den Bergen schmilzt und so trugen sie ihre Sachen in das obere Stockwerk",
    "fr": "les gens du village savaient depuis longtemps que la rivière monterait de nouveau quand le printemps "
    "viendrait et que la neige des montagnes fondrait alors ils portaient leurs affaires au premier étage",
}
OPENED = """
import sys, datasets, duckdb, polars
folder = sys.argv[1]
found = datasets.load_dataset(folder, split="train", cache_dir=sys.argv[2])
print("datasets", datasets.__version__, found.num_rows)
count = duckdb.sql(f"SELECT count(*), count(article) FROM '{folder}/data/*.parquet'").fetchall()[0]
print("duckdb", duckdb.__version__, count[0])
rows = polars.scan_parquet(f"{folder}/data/*.parquet").select(polars.len()).collect().item()
print("polars", polars.__version__, rows)
"""


class Cost(NamedTuple):
    """Of one export."""

    cpu_s: float
    seconds: float
    peak_bytes: int  # of all processes together, shared pages counted in each
    main_bytes: int  # of the one that decides and writes


def made_pages(count: int) -> Iterator[MadePage]:
    """Pages of some 5 KB with a menu, an article and a footer."""
    dice = random.Random(22)
    menu = "".join(f"<li><a href='/section/{number}'>Section {number}</a></li>" for number in range(30))
    article = ""
    for number in range(count):
        lang = dice.choice(tuple(SENTENCES))
        if number % 10 or not article:  # else the one before once more, with another date
            article = "".join(f"<p>{_paragraph(SENTENCES[lang], dice)}.</p>" for _ in range(8))
        body = (
            f"<!DOCTYPE html><html lang=en><title>Page {number}</title><nav><ul>{menu}</ul></nav><main><h1>Story</h1>"
            f"{article}<p>{number}</p></main><footer><a href=/imprint>Imprint</a></footer>"
        )
        yield MadePage(f"http://site.test/{number}", body.encode())


def _paragraph(sentence: str, dice: random.Random) -> str:
    words = sentence.split()
    return " ".join(f"{word} {dice.randrange(10_000)}" if at % 3 == 0 else word for at, word in enumerate(words))


def exported(crawl: Path, out: Path) -> Cost:
    """Run the command, and look at its processes while it runs."""
    began = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "weft",
        "export",
        str(crawl),
        "--to",
        "huggingface",
        "-o",
        str(out),
        *FLAGS.split(),
    ]
    process = subprocess.Popen(command)
    main, peak_bytes, main_bytes = psutil.Process(process.pid), 0, 0
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        sizes = [size for one in (main, *main.children()) if (size := _rss(one))]
        peak_bytes, main_bytes = max(peak_bytes, sum(sizes)), max(main_bytes, *sizes[:1], 0)
        time.sleep(SAMPLED_EVERY_S)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"weft export ended with {process.returncode}")
    return Cost(used.ru_utime + used.ru_stime, time.monotonic() - began, peak_bytes, main_bytes)


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def main(folder: Path, sizes: tuple[int, ...], python: str | None) -> None:
    """Make, export, open."""
    folder.mkdir(parents=True, exist_ok=True)
    print(
        "| pages | CPU s | µs a page | peak of all, MiB | of the main process, MiB | shards | MB |\n" + "|---" * 7 + "|"
    )
    for size in sizes:
        crawl, out = folder / f"crawl-{size}", folder / f"set-{size}"
        if not crawl.exists():
            make_archive(crawl, made_pages(size))
        shutil.rmtree(out, ignore_errors=True)
        cost = exported(crawl, out)
        shards = list((out / "data").iterdir())
        written = sum(one.stat().st_size for one in shards) / 1e6
        per_page = cost.cpu_s / size * 1e6
        print(
            f"| {size:,} | {cost.cpu_s:,.1f} | {per_page:,.0f} | {cost.peak_bytes / MIB:,.0f} "
            f"| {cost.main_bytes / MIB:,.0f} | {len(shards)} | {written:,.1f} |",
            flush=True,
        )
    for size in sizes:
        print((folder / f"set-{size}" / "README.md").read_text().partition("## What was left out")[2], flush=True)
        if python is not None:
            subprocess.run([python, "-c", OPENED, str(folder / f"set-{size}"), str(folder / "cache")], check=True)


if __name__ == "__main__":
    _, where, *others = sys.argv
    wanted = tuple(map(int, others[0].split(","))) if others else SIZES
    main(Path(where), wanted, others[1] if len(others) > 1 else None)
