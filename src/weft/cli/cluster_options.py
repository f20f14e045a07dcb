"""How commands are told where the cluster's NATS servers are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.sources import NATS_VARIABLE
from weft.errors import BadInput

Nats = Annotated[
    str,
    typer.Option(
        "--nats",
        metavar="URL[,URL]",
        help="The NATS servers: nats://HOST:4222, tls://HOST:4222; else those that WEFT_NATS names.",
        show_envvar=False,
        envvar=NATS_VARIABLE,
    ),
]
Creds = Annotated[Path | None, typer.Option(metavar="FILE", help="Log in to NATS by the credentials in this file.")]
Ca = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Trust NATS servers whose certificate one of these authorities has signed, in PEM form."
    ),
]


def split_urls(nats: str) -> list[str]:
    """The servers that a flag names."""
    urls = [url.strip() for url in nats.split(",") if url.strip()]
    if not urls:
        raise BadInput("--nats, or WEFT_NATS, names no server: nats://HOST:4222")
    return urls
