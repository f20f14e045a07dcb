"""The driver inside the new namespaces: `python -m tests.namespace.inside FOLDER COMMAND…`."""

from __future__ import annotations

import fcntl
import socket
import struct
import subprocess
import sys
from pathlib import Path

from tests.namespace.place import ADDRESS, Papers
from tests.namespace.server import serve

# <linux/sockios.h>, <linux/if.h>
SIOCSIFFLAGS = 0x8914
SIOCSIFADDR = 0x8916
IFF_UP = 0x1


def main() -> int:
    """Make example.org, then run the command in front of it."""
    papers = Papers(Path(sys.argv[1]))
    refuse_a_network_that_leads_anywhere([name for _, name in socket.if_nameindex()])
    set_up_loopback()
    for file in (papers.hosts, papers.resolv_conf):
        subprocess.run(["mount", "--bind", str(file), f"/etc/{file.name}"], check=True)
    serve(papers)
    papers.is_set_up.touch()
    return subprocess.run(sys.argv[2:], check=False).returncode


def refuse_a_network_that_leads_anywhere(interfaces: list[str]) -> None:
    """Without this, a mistake outside would let programs loose on the real example.org."""
    if interfaces != ["lo"]:
        raise SystemExit(f"this is no network namespace of our own: it has {', '.join(interfaces)}")


def set_up_loopback() -> None:
    """Bring `lo` up and give it the public address, by ioctl: the command `ip` may not be there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
        address = struct.pack("=H2x4s8x", socket.AF_INET, socket.inet_aton(ADDRESS))
        fcntl.ioctl(any_socket, SIOCSIFADDR, struct.pack("16s16s", b"lo:1", address))


if __name__ == "__main__":
    raise SystemExit(main())
