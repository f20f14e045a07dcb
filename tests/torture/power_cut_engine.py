"""A crawl in a process of its own: `python -m tests.torture.power_cut_engine create|resume FOLDER CONFIG`.

The command line does not offer everything that a test wants to set.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from tests.pipeline.crawling import run
from weft.config import CrawlConfig
from weft.errors import WeftError
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending


def main() -> None:
    """Crawl to the end; an error is told in its own words."""
    verb, folder, config = sys.argv[1:]
    try:
        if verb == "create":
            crawl = Crawl.create(Path(folder), msgspec.json.decode(Path(config).read_bytes(), type=CrawlConfig))
        else:
            crawl = Crawl.resume(Path(folder))
        ending = run(crawl)
    except WeftError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if ending is not Ending.DONE:
        sys.exit(f"the crawl ended: {ending.value}")


if __name__ == "__main__":
    main()
