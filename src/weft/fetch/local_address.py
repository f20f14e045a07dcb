"""The address of this machine that all connections are made from, where the user names one."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address

from weft.errors import BadInput


class LocalAddress:
    """An IP address of this machine. BadInput when the text is none, or that of another machine."""

    def __init__(self, text: str) -> None:
        self._text = text
        try:
            ip_address(text)
        except ValueError:
            raise BadInput(f"connections are made from an IP address of this machine, and {text!r} is none") from None
        try:
            rows = socket.getaddrinfo(text, 0, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
            self._family, self._place = rows[0][0], rows[0][4]
            self._new_socket().close()
        except OSError as error:
            raise BadInput(
                f"connections are made from an IP address of this machine, and {text} cannot be used: {error.strerror}"
            ) from error

    def __str__(self) -> str:
        return self._text

    def reaches(self, address: str) -> bool:
        """Whether both are IPv4, or both IPv6."""
        return (self._family == socket.AF_INET6) == (":" in address)

    async def connect(self, address: str, port: int) -> socket.socket:
        """A connected socket. OSError when there is none to be had."""
        sock = self._new_socket()
        try:
            await asyncio.get_running_loop().sock_connect(sock, (address, port))
        except BaseException:
            sock.close()
            raise
        return sock

    def _new_socket(self) -> socket.socket:
        sock = socket.socket(self._family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            # The kernel chooses the port when it knows the other end, so that two connections may share one. A port of
            # its own for each, which is what `local_addr` of create_connection takes, would be 28,000 connections at
            # most, those of the last minute included.
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_BIND_ADDRESS_NO_PORT, 1)
            sock.bind(self._place)
        except BaseException:
            sock.close()
            raise
        return sock
