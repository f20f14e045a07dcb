"""A certificate authority of the web's own, and a TLS context for every host, made when it is first asked for.

The certificates come from `trustme`, which is made for exactly this. Nothing else in weft needs it, so it is
imported only here, and only when a web is to be served over https: it is a dependency of those who develop
weft. The alternatives were the `openssl` command, which is not everywhere, and signatures of our own, which
nobody should have to maintain for the sake of tests.

One certificate holds for a domain and everything right below it. A new one takes about 1.3 ms and 21 KB, so a
web of thousands of hosts starts at once and pays as it is crawled.
"""

from __future__ import annotations

import ipaddress
import ssl
import tempfile
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import BadInput
from weft.missing_library import how_to_install
from weft.regex import regex
from weft.simweb.behaviour import TlsFault

if TYPE_CHECKING:
    import trustme

_ANOTHER_HOST = "another-host.invalid"
_LABEL = regex(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_DAY = timedelta(days=1)


class Authority:
    """Signs for every name that it is asked for."""

    def __init__(self) -> None:
        try:
            import trustme
        except ImportError as error:
            raise BadInput(f"a synthetic web over https needs trustme: {how_to_install('trustme')}") from error
        self._ours = trustme.CA(organization_name="simweb")
        self._unknown = trustme.CA(organization_name="unknown to all")
        # Filled by `context`, never emptied: as many as there are domains, a few times that with all faults.
        self._contexts: dict[tuple[str, TlsFault | None], ssl.SSLContext] = {}

    def write_certificate(self, path: Path) -> None:
        """Write what a client has to trust, as PEM."""
        self._ours.cert_pem.write_to_path(path)

    def context(self, name: str, fault: TlsFault | None = None) -> ssl.SSLContext:
        """The context for a host or an IP address, with what is wrong with it."""
        key = (_covering_domain(name), fault)
        if key not in self._contexts:
            self._contexts[key] = self._make_context(*key)
        return self._contexts[key]

    def _make_context(self, domain: str, fault: TlsFault | None) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        if fault is TlsFault.OLD_PROTOCOL:
            _speak_old_protocols_only(context)
        if fault is TlsFault.SELF_SIGNED:
            _use(context, self._unknown.private_key_pem.bytes() + self._unknown.cert_pem.bytes())
        else:
            self._certificate(domain, fault).configure_cert(context)
        return context

    def _certificate(self, domain: str, fault: TlsFault | None) -> trustme.LeafCert:
        now = datetime.now(UTC)
        match fault:
            case TlsFault.EXPIRED:
                return self._ours.issue_cert(*_names(domain), not_before=now - 9 * _DAY, not_after=now - _DAY)
            case TlsFault.NOT_YET_VALID:
                return self._ours.issue_cert(*_names(domain), not_before=now + _DAY, not_after=now + 9 * _DAY)
            case TlsFault.WRONG_HOST:
                return self._ours.issue_cert(_ANOTHER_HOST)
            case TlsFault.UNKNOWN_AUTHORITY:
                return self._unknown.issue_cert(*_names(domain))
            case _:
                return self._ours.issue_cert(*_names(domain))


def _covering_domain(name: str) -> str:
    """The domain whose certificate covers a name: itself, or the one right above it."""
    if _is_address(name) or name.count(".") <= 1:
        return name
    return name.partition(".")[2]


def _names(domain: str) -> tuple[str, ...]:
    if _is_address(domain):
        return (domain,)
    if not all(_LABEL.fullmatch(label) for label in domain.split(".")):
        return (_ANOTHER_HOST,)  # no certificate can be for such a name
    return (domain, f"*.{domain}")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _speak_old_protocols_only(context: ssl.SSLContext) -> None:
    context.set_ciphers("ALL:@SECLEVEL=0")  # else OpenSSL refuses what it holds for unsafe
    with warnings.catch_warnings():  # and Python warns of it
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1


def _use(context: ssl.SSLContext, key_and_certificate: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:  # OpenSSL reads these from files only
        file.write(key_and_certificate)
        file.flush()
        context.load_cert_chain(file.name)
