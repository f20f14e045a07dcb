"""What both sides of the namespace must agree on."""

from __future__ import annotations

from pathlib import Path

HOST = "example.org"
ADDRESS = "93.184.215.14"  # a public one; here it belongs to `lo`


class Papers:
    """The files of one run, in a folder that both sides see."""

    def __init__(self, folder: Path) -> None:
        self.hosts = folder / "hosts"
        self.resolv_conf = folder / "resolv.conf"
        self.authority = folder / "authority.pem"
        self.certificate = folder / "certificate.pem"
        self.requests = folder / "requests"  # a line a request that the server got
        self.is_set_up = folder / "is-set-up"  # exists once the program may begin
