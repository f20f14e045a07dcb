"""`weft crawl`: a crawl begins."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from weft.cli.new_crawl import begin_crawl
from weft.cli.options import takes
from weft.cli.settings import CRAWL_FLAGS
from weft.cli.show_config import ConfigFile


@takes(CRAWL_FLAGS)
def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin.")] = None,
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Crawl from one or more URLs into a folder.

    \b
    weft crawl https://example.org --depth 2
    weft crawl https://example.org/docs/ --scope prefix --max-pages 500 -o docs

    In a PATTERN only * is special, and stands for anything: '*/calendar/*' looks at the whole URL, '/private/*' at its
    path, 're:...' is a regular expression.

    Settings may also stand in a file or in the environment: docs/configuration.md; `weft config` shows which hold.

    Exit codes: 0 done; 1 unexpected error; 2 bad input; 3 a limit was reached, or hosts were left for later; 4 not one
    page could be fetched; 5 disk full; 6 the folder cannot be used; 129, 130, 143 stopped by a signal.
    """
    raise typer.Exit(begin_crawl(urls or (), flags, config))
