"""`weft get`: one page, printed."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from weft.cli.get_page import FORMS, MARKDOWN, print_page
from weft.cli.options import takes
from weft.cli.show_config import ConfigFile
from weft.settings.one_page import ONE_PAGE_SETTINGS


@takes(ONE_PAGE_SETTINGS)
def get(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page; https:// may be left out.")],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORM",
            help="markdown (the whole page), article (its main content), text, html, links (one a line) or json.",
            autocompletion=lambda: list(FORMS),
        ),
    ] = MARKDOWN,
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Print one page, as Markdown or in another form.

    \b
    weft get example.org
    weft get example.org/news --to links

    Nothing is written to the disk. robots.txt is obeyed, redirects are followed, with the cookies that are set on the
    way. What is no text (a picture) is written by --to html as it came, and refused by the other forms; of a PDF, --to
    text prints the text, if pypdfium2 is installed.

    Exit codes: 0 done; 2 bad input; 4 the page could not be fetched, or its status is an error; 130 interrupted.
    """
    print_page(url, to, flags, config)
