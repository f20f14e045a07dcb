"""The process that extractors run in: `python -m bench.article.extractor MODULE JOB.json TEXTS.json [NAME…]`.

It knows only Python's own library, because it also runs in the peers' environment. The job is a list of pages, each
with its URL and its file; `MODULE.extractors()` returns the extractors by name, and all of them run or those that are
named. CPU is counted over all pages, for each extractor in turn; the first pages are read once before (imports).
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

Extract = Callable[[bytes, str], str]


def run(extract: Extract, pages: list[tuple[bytes, str]]) -> tuple[float, list[str]]:
    """The CPU seconds and the texts; a page that fails has no text."""
    for content, url in pages[:5]:
        _text(extract, content, url)
    began = time.process_time()
    texts = [_text(extract, content, url) for content, url in pages]
    return time.process_time() - began, texts


def _text(extract: Extract, content: bytes, url: str) -> str:
    try:
        return extract(content, url) or ""
    except Exception:  # whatever a library raises, it found nothing
        return ""


def main() -> None:
    """Run extractors of a module."""
    module, job_file, out_file, *names = sys.argv[1:]
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    job = json.loads(Path(job_file).read_text())
    pages = [(Path(path).read_bytes(), url) for url, path in job]
    told = {}
    extractors = importlib.import_module(module).extractors()
    for name in names or extractors:
        cpu_s, texts = run(extractors[name], pages)
        told[name] = {"cpu_s": cpu_s, "texts": texts}
    Path(out_file).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
