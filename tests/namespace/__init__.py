"""Programs run as their readers would run them: against `https://example.org`, without any network.

    test ──run──▶ unshare (new network, new mounts) ──▶ inside: lo up, hosts file, web server ──▶ the program

weft asks no private or loopback address by default, and examples shall not say otherwise. So each program gets a
network of its own that has nothing but `lo`, to which the public address of "example.org" is given. Nothing can leave
it: there is no other interface, and the driver inside refuses to do anything where there is one.
"""

from tests.namespace.outside import Finished, run

__all__ = ["Finished", "run"]
