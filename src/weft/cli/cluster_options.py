"""How commands are told where the cluster's NATS servers are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.errors import BadInput

Nats = Annotated[
    str,
    typer.Option("--nats", metavar="URL[,URL]", help="The NATS servers: nats://host:4222.", envvar="WEFT_NATS"),
]
Creds = Annotated[Path | None, typer.Option(metavar="FILE", help="Log in to NATS by this file.")]
Ca = Annotated[Path | None, typer.Option(metavar="FILE", help="Trust NATS servers of these authorities, in PEM form.")]


def split_urls(nats: str) -> list[str]:
    """The servers that a flag names."""
    urls = [url.strip() for url in nats.split(",") if url.strip()]
    if not urls:
        raise BadInput("--nats names no server: nats://host:4222")
    return urls
