"""The hosts file: names that the machine's owner has settled. c-ares' queries do not read it, so we do."""

from __future__ import annotations

from pathlib import Path

from weft.dns.spelling import spelled

HOSTS_PATH = Path("/etc/hosts")


def parse_hosts(text: str) -> dict[str, tuple[str, ...]]:
    """Addresses by name in lower case, IPv4 first, else in the file's order. Wrong lines are skipped."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if len(words) < 2:
            continue
        try:
            address = spelled(words[0])
        except ValueError:
            continue
        for name in words[1:]:
            addresses = found.setdefault(name.lower().rstrip("."), [])
            if address not in addresses:
                addresses.append(address)
    return {name: tuple(sorted(addresses, key=_is_ipv6)) for name, addresses in found.items()}


def read_hosts(path: Path = HOSTS_PATH) -> dict[str, tuple[str, ...]]:
    """The names in a hosts file; none if there is no such file."""
    try:
        return parse_hosts(path.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        return {}


def _is_ipv6(address: str) -> bool:
    return ":" in address
