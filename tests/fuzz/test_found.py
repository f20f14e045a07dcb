"""What fuzzing has found, kept."""

from __future__ import annotations

from weft.url import canonicalize, host_of, registrable_domain


def test_a_host_of_dots_alone_has_a_registrable_domain() -> None:
    """Cookies of all such hosts would else belong to one site without a name."""
    url = canonicalize("http:..")
    assert url == "http://../"
    assert registrable_domain(host_of(url)) == ".."
