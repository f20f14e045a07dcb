"""Hosts by name, for every tool alike and with no change to the machine: a tool sees an /etc/hosts of the bench's own.

It is bound over the real one in a mount namespace, in which the command alone runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

DOMAIN = "weft-bench.test"  # a domain of which nobody is the owner
_BIND = 'mount --bind "$0" /etc/hosts && exec "$@"'


def host_name(host: int) -> str:
    """The name of a host, the first one being h1."""
    return f"h{1 + host}.{DOMAIN}"


def write_hosts(path: Path, addresses: Sequence[str]) -> Path:
    """The file, with the names of these addresses in their order."""
    lines = [f"{address} {host_name(host)}" for host, address in enumerate(addresses)]
    path.write_text("\n".join(["127.0.0.1 localhost", *lines, ""]))
    return path


def knowing_names(command: list[str], hosts_file: Path) -> list[str]:
    """The command where these names are known. It takes the place of what starts it, so its CPU is still its own."""
    root = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *root, "sh", "-c", _BIND, str(hosts_file), *command]


def why_no_names() -> str:
    """Why this machine allows no such namespace; empty where it does."""
    if shutil.which("unshare") is None:
        return "there is no unshare here"
    tried = subprocess.run(knowing_names(["true"], Path("/etc/hosts")), capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"no mount namespace may be made here: {tried.stderr.strip()}"
