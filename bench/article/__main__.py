"""`make bench-article CORPUS=DIR`, or `python -m bench.article --corpus DIR --peers .peers`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.article.corpus import HALVES, LabelledPage, NoCorpus, read_corpus
from bench.article.score import tally_of, words_of_markdown
from bench.article.weft_extractors import PARSING, WEFT

ABSENT = (
    "bench-article needs CORPUS=DIR, a folder in the form of trafilatura's evaluation corpus: the `tests` folder of "
    "https://github.com/adbar/trafilatura, with evaldata.json, cache/ and eval/ (docs/article-bench.md)"
)
_TITLES = "| extractor | pages | precision | recall | F | CPU ms/page |\n|---|---|---|---|---|---|"


def main() -> None:
    """Run all extractors over one corpus, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.article", description=__doc__)
    parser.add_argument("--corpus", default="")
    parser.add_argument("--peers", type=Path, default=Path(".peers"))
    parser.add_argument("--every", type=int, default=1, help="of so many pages one: 6 takes a minute")
    options = parser.parse_args()
    if not options.corpus:
        print(ABSENT, file=sys.stderr)
        sys.exit(2)
    try:
        pages = read_corpus(Path(options.corpus))[:: max(1, options.every)]
    except NoCorpus as error:
        print(f"bench-article: {error}", file=sys.stderr)
        sys.exit(2)
    print(table(pages, extract_all(pages, options.peers)))


def extract_all(pages: list[LabelledPage], peers: Path) -> dict[str, tuple[float, list[str]]]:
    """CPU seconds and texts by extractor: weft's in this environment, the others in theirs."""
    results: dict[str, tuple[float, list[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.json")
        job.write_text(json.dumps([(page.url, page.path) for page in pages]))
        for python in (sys.executable, str(peers / "bin/python")):
            results |= run_extractors(python, job)
    cpu_s, texts = results[WEFT]
    results[WEFT] = cpu_s, [words_of_markdown(text) for text in texts]
    return results


def run_extractors(python: str, job: Path, *names: str) -> dict[str, tuple[float, list[str]]]:
    """CPU seconds and texts by extractor, of weft's or of the peers', as the interpreter says; all, or these."""
    module = "weft_extractors" if python == sys.executable else "peer_extractors"
    out = job.with_name("texts.json")
    command = [python, "-m", "bench.article.extractor", f"bench.article.{module}", str(job), str(out), *names]
    subprocess.run(command, check=True)
    return {name: (told["cpu_s"], told["texts"]) for name, told in json.loads(out.read_text()).items()}


def table(pages: list[LabelledPage], results: dict[str, tuple[float, list[str]]]) -> str:
    """All extractors over all pages, and weft and trafilatura by half."""
    rows = [_TITLES]
    for name, (cpu_s, texts) in results.items():
        cpu_ms = cpu_s / len(pages) * 1000
        if name == PARSING:
            rows.append(f"| {name} | {len(pages)} | – | – | – | {cpu_ms:.2f} |")
            continue
        rows.append(_row(name, pages, texts, f"{cpu_ms:.2f}"))
        if name in (WEFT, "trafilatura"):
            for half in HALVES:
                at = [number for number, page in enumerate(pages) if page.half == half]
                rows.append(_row(f"{name}, half {half}", [pages[n] for n in at], [texts[n] for n in at], ""))
    return "\n".join(rows)


def _row(name: str, pages: list[LabelledPage], texts: list[str], cpu_ms: str) -> str:
    tally = tally_of((page.labels, text) for page, text in zip(pages, texts, strict=True))
    return f"| {name} | {len(pages)} | {tally.precision:.3f} | {tally.recall:.3f} | {tally.f:.3f} | {cpu_ms} |"


if __name__ == "__main__":
    main()
