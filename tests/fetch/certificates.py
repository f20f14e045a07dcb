"""Certificates of a test authority, good and bad. Nobody else believes in it, and it knows nobody."""

from __future__ import annotations

import atexit
import os
import ssl
import tempfile
import warnings
from datetime import UTC, datetime, timedelta
from functools import cache

import trustme

HOST = "site.test"


@cache
def authority() -> trustme.CA:
    """The authority that the tests' fetchers trust."""
    return trustme.CA()


@cache
def ca_file() -> str:
    """Its certificate, as `FetchConfig.ca_file` wants it."""
    with tempfile.NamedTemporaryFile("wb", prefix="weft-test-ca-", suffix=".pem", delete=False) as file:
        file.write(authority().cert_pem.bytes())
    atexit.register(os.unlink, file.name)
    return file.name


def server_context(*names: str, valid_days: float = 30, ca: trustme.CA | None = None) -> ssl.SSLContext:
    """A server with a certificate for these names, by the trusted authority unless told otherwise."""
    now = datetime.now(UTC)
    certificate = (ca or authority()).issue_cert(
        *(names or (HOST,)), not_before=now - timedelta(days=60), not_after=now + timedelta(days=valid_days)
    )
    context = new_server_context()
    certificate.configure_cert(context)
    return context


def self_signed() -> ssl.SSLContext:
    """A server whose certificate nobody else has signed."""
    ca = trustme.CA()
    context = new_server_context()
    with tempfile.NamedTemporaryFile("wb", suffix=".pem") as file:
        file.write(ca.private_key_pem.bytes() + ca.cert_pem.bytes())
        file.flush()
        context.load_cert_chain(file.name)
    return context


def behind_an_intermediate(*, sends_it: bool) -> ssl.SSLContext:
    """A server whose certificate hangs from the authority by another one, which many forget to send."""
    certificate = authority().create_child_ca().issue_cert(HOST)
    context = new_server_context()
    if sends_it:
        certificate.configure_cert(context)
        return context
    with tempfile.NamedTemporaryFile("wb", suffix=".pem") as file:
        file.write(certificate.private_key_pem.bytes() + certificate.cert_chain_pems[0].bytes())
        file.flush()
        context.load_cert_chain(file.name)
    return context


def only_tls_1_1() -> ssl.SSLContext:
    """A server that has not been looked after for ten years."""
    context = server_context()
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


def only_cipher(name: str) -> ssl.SSLContext:
    """A server that speaks TLS 1.2 with one cipher suite; its key is RSA's."""
    context = new_server_context()
    authority().issue_cert(HOST, key_type=trustme.KeyType.RSA).configure_cert(context)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{name}:@SECLEVEL=0")
    return context


def wants_a_client_certificate() -> ssl.SSLContext:
    """A server that talks only to those who can show a certificate."""
    context = server_context()
    authority().configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def new_server_context() -> ssl.SSLContext:
    """A server without a certificate yet."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context
