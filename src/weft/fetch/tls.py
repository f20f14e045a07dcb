"""TLS: whom to believe, and what a failed handshake means.

| what happens in the handshake | Outcome |
|---|---|
| a certificate that is expired, of another host, self-signed, of an unknown authority | TLS_CERTIFICATE |
| old protocol or ciphers only, an alert, bytes that are no TLS, the server closes | TLS_FAILED |
| nothing, until `connect_timeout_s` is over | CONNECT_TIMEOUT |

Sessions are not resumed: a new connection that resumed one was measured to cost as much CPU as any other
(0.79 ms against 0.75 ms, TLS 1.3), and each would keep a few KB for a host that may never be asked again.
"""

from __future__ import annotations

import asyncio
import ssl
from functools import cached_property
from typing import Final

from weft.errors import BadInput, FetchError
from weft.fetch.config import FetchConfig
from weft.fetch.connection import Connection
from weft.fetch.dial import connect_outcome
from weft.fetch.host_port import HostPort, parse_host_port
from weft.fetch.tls_stream import shake_hands
from weft.types import Outcome
from weft.url import Target

# What browsers still speak: beyond Python's own list also CBC with SHA-1 and key exchange by RSA, for old but honest
# servers that have nothing else. Keys and signatures must still be strong (level 2).
_CIPHERS: Final = (
    "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:ECDHE+AES:DHE+AES:RSA+AES:"
    "!aNULL:!aDSS:!PSK:!SRP:!AESCCM:@SECLEVEL=2"
)
_ANY_CIPHERS: Final = "ALL:@SECLEVEL=0"
_LEGACY_SERVER_CONNECT: Final = 0x4  # no name for it in Python 3.11: servers without RFC 5746


class Tls:
    """Makes connections secure. Its contexts are shared by all of them and made when first needed (20 ms)."""

    def __init__(self, config: FetchConfig) -> None:
        self._ca_file = config.ca_file
        self._insecure = frozenset(parse_host_port(text) for text in config.insecure_hosts)
        if self._ca_file:
            _ = self._verifying  # a bad file is to be known at once

    async def secure(self, connection: Connection, target: Target, deadline_s: float) -> None:
        """Shake hands with the target's server. FetchError when that fails; the connection is then closed."""
        try:
            name = _server_name(target.host)
            async with asyncio.timeout_at(deadline_s):
                await shake_hands(connection, self._context_for(target), name)
        except OSError as error:
            connection.abort()
            outcome, words = _explain(error)
            if outcome is None:
                raise
            detail = f"{target.host} at {connection.address} port {target.port}: {words}"
            raise FetchError(outcome, detail) from error
        except (FetchError, asyncio.CancelledError):
            connection.abort()
            raise

    def _context_for(self, target: Target) -> ssl.SSLContext:
        if self._insecure and not self._insecure.isdisjoint(
            (HostPort(target.host, None), HostPort(target.host, target.port))
        ):
            return self._trusting
        return self._verifying

    @cached_property
    def _verifying(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self._ca_file:
            try:
                context.load_verify_locations(cafile=self._ca_file)
            except OSError as error:
                raise BadInput(f"No certificates can be read from {self._ca_file}: {error.strerror}.") from error
        # Whether a certificate is accepted must not depend on the version of Python, and browsers are not strict.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        context.set_ciphers(_CIPHERS)
        context.set_alpn_protocols(["http/1.1"])
        return context

    @cached_property
    def _trusting(self) -> ssl.SSLContext:
        """For the hosts that the user has named: anything goes."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_ciphers(_ANY_CIPHERS)
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.options |= _LEGACY_SERVER_CONNECT
        context.set_alpn_protocols(["http/1.1"])
        return context


def _server_name(host: str) -> str:
    """The host as the handshake names it, for SNI and for the certificate's check."""
    name = host.rstrip(".")
    try:
        if name.encode("idna"):  # which is what Python's ssl does with it
            return name
    except UnicodeError:
        pass
    raise FetchError(Outcome.TLS_FAILED, f"no certificate can name {host!r}")


def _explain(error: OSError) -> tuple[Outcome | None, str]:
    """The outcome of a failed handshake, in OpenSSL's words where it has any; None: our own trouble."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Outcome.TLS_CERTIFICATE, error.verify_message
    if isinstance(error, ssl.SSLError):
        return Outcome.TLS_FAILED, (error.reason or str(error)).replace("_", " ").lower()
    if isinstance(error, TimeoutError):
        return Outcome.CONNECT_TIMEOUT, "the TLS handshake takes too long"
    if isinstance(error, ConnectionError):
        return Outcome.TLS_FAILED, "the server closed during the TLS handshake"
    return connect_outcome(error), error.strerror or ""
