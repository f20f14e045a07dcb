"""Origins that have no pages of their own and redirect every path, robots.txt too, to the host behind them.

http://blog.amber3.test/x  ─▶ https://blog.amber3.test/x      every https host has this one
http://amber3.test/x       ─▶ https://www.amber3.test/x       where the bare name is no host
https://amber3.test/x      ─▶ https://www.amber3.test/x
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weft.simweb.hosts import Host


class Door(msgspec.Struct, frozen=True, gc=False):
    """An origin that only redirects."""

    name: str
    tls: bool
    host: int  # index of the host that it leads to


def make_doors(hosts: Iterable[Host]) -> tuple[Door, ...]:
    """All doors of a web; of those to one host the front door comes first, where a visitor starts."""
    return tuple(door for host in hosts for door in _doors_to(host))


def _doors_to(host: Host) -> list[Door]:
    doors = [Door(host.name, tls=False, host=host.index)] if host.tls else []
    if host.bare_name:
        return [
            Door(host.bare_name, tls=False, host=host.index),
            Door(host.bare_name, tls=True, host=host.index),
            *doors,
        ]
    return doors
