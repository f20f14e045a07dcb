from __future__ import annotations

import pytest

from weft.parse import RobotsDirectives, robots_directives

NOTHING = RobotsDirectives()
NOFOLLOW = RobotsDirectives(nofollow=True)
NOINDEX = RobotsDirectives(noindex=True)
NOARCHIVE = RobotsDirectives(noarchive=True)
BOTH = RobotsDirectives(nofollow=True, noindex=True)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("nofollow", NOFOLLOW),
        ("NOFOLLOW", NOFOLLOW),
        ("noindex, nofollow", BOTH),
        ("noindex,nofollow", BOTH),
        ("noindex nofollow", BOTH),
        ("none", BOTH),
        (" NoIndex ,\tnoFollow ", BOTH),
        ("noindex;nofollow", BOTH),
        ("noarchive", NOARCHIVE),
        ("nocache", NOARCHIVE),
        ("all", NOTHING),
        ("index, follow", NOTHING),
        ("nofollow, follow", NOFOLLOW),
        ("all, noindex, index", NOINDEX),
        ("noindex, indexifembedded", NOINDEX),
        ("nosnippet, noimageindex, notranslate, noodp, nositelinkssearchbox, noai", NOTHING),
        ("max-snippet:-1, max-image-preview:large, max-video-preview:-1", NOTHING),
        ("max-image-preview:none", NOTHING),
        ("max-image-preview: none", NOTHING),
        ("max-image-preview : none", NOTHING),
        ("max-image-preview: none nofollow", NOFOLLOW),
        ("index, follow, max-snippet: -1, max-image-preview: none, max-video-preview: -1", NOTHING),
        ("noindex max-snippet: 0 nofollow", BOTH),
        ("unavailable_after: 2030-06-25T15:00:00+00:00, nofollow", NOFOLLOW),
        ("nofollowers", NOTHING),
        ("", NOTHING),
    ],
)
def test_a_meta_element_asks(content: str, expected: RobotsDirectives) -> None:
    assert robots_directives([], [("robots", content)]) == expected
    assert robots_directives([], [(" Robots ", content)]) == expected
    assert robots_directives([], [("weft", content)]) == expected
    assert robots_directives([], [("googlebot", content), ("description", content)]) == NOTHING


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"nofollow", NOFOLLOW),
        (b"noindex, NOFOLLOW", BOTH),
        (b"\t noindex ,nofollow ", BOTH),
        (b'"noindex, nofollow"', BOTH),
        (b"none", BOTH),
        (b"all", NOTHING),
        (b"weft: nofollow", NOFOLLOW),
        (b"Weft : noindex, nofollow", BOTH),
        (b"weft/1.0: none", BOTH),
        (b"*: nofollow", NOFOLLOW),
        (b"robots: nofollow", NOFOLLOW),
        (b"otherbot: nofollow", NOTHING),
        (b"otherbot: noindex, nofollow", NOTHING),
        (b"otherbot/2.1: noindex", NOTHING),
        (b"other bot: noindex", NOTHING),
        (b"weftbot: nofollow", NOTHING),
        (b"not-weft: nofollow", NOTHING),
        (b"360spider: noindex, nofollow", NOTHING),
        (b"noindex, otherbot: nofollow", NOINDEX),
        (b"otherbot: noindex, weft: nofollow", NOFOLLOW),
        (b"weft: nofollow, otherbot: noindex", NOFOLLOW),
        (b"otherbot: noindex, nofollow, weft: noarchive, *: noindex", RobotsDirectives(noindex=True, noarchive=True)),
        (b"noindex: nofollow", BOTH),
        (b"", NOTHING),
        (b"\xff\xfe: x,,:", NOTHING),
        (b":", NOTHING),
        (b": nofollow", NOFOLLOW),
    ],
)
def test_a_header_asks_all_crawlers_or_one_by_name(value: bytes, expected: RobotsDirectives) -> None:
    assert robots_directives([(b"x-robots-tag", value)], []) == expected
    assert robots_directives([(b"x-other", value)], []) == NOTHING


@pytest.mark.parametrize(
    "value",
    [
        "unavailable_after: 25 Jun 2030 15:00:00 PST",
        "unavailable_after: Wed, 25 Jun 2030 15:00:00 GMT",
        "unavailable_after: Tuesday, 25-Jun-30 15:00:00 EST",
        "unavailable_after: Jun 25, 2030, 3:00 PM",
        "unavailable_after: 2030-06-25T15:00:00+02:00",
        "unavailable_after:2030-06-25",
        "unavailable-after: never",
        "max-snippet: 10",
        "max-snippet:10",
        "max-image-preview: none",
        "max-image-preview:none",
        "max-video-preview: -1",
        "max-something-new: none",
    ],
)
def test_a_directive_with_a_value_is_neither_a_name_nor_an_end(value: str) -> None:
    for header, expected in (
        (value, NOTHING),
        (f"{value}, nofollow", NOFOLLOW),
        (f"nofollow, {value}", NOFOLLOW),
        (f"weft: {value}, nofollow", NOFOLLOW),
        (f"otherbot: {value}, nofollow", NOTHING),
        (f"{value}, otherbot: nofollow", NOTHING),
        (f"otherbot: nofollow, weft: {value}", NOTHING),
    ):
        assert robots_directives([(b"x-robots-tag", header.encode())], []) == expected, header


def test_a_name_holds_for_its_own_header_only() -> None:
    headers = [(b"x-robots-tag", b"otherbot: noindex"), (b"x-robots-tag", b"nofollow")]
    assert robots_directives(headers, []) == NOFOLLOW


def test_everything_asked_counts_together() -> None:
    headers = [(b"x-robots-tag", b"noindex"), (b"x-robots-tag", b"noarchive")]
    assert robots_directives(headers, [("robots", "nofollow")]) == RobotsDirectives(True, True, True)


def test_another_name_is_asked_by_that_name() -> None:
    assert robots_directives([], [("mybot", "nofollow")], agent="MyBot") == NOFOLLOW
    assert robots_directives([], [("robots", "noindex"), ("mybot", "nofollow")], agent="MyBot") == BOTH
    assert robots_directives([(b"x-robots-tag", b"mybot: nofollow")], [], agent="MyBot") == NOFOLLOW
    assert robots_directives([], [("weft", "nofollow")], agent="MyBot") == NOTHING


@pytest.mark.parametrize("piece", ["a:", "max-x:", "max-x: ", "noindex:", ",", "a, ", "weft: "])
def test_a_value_made_to_hurt_is_read_at_its_beginning(piece: str) -> None:
    assert robots_directives([], [("robots", "nofollow, " + piece * 2_000_000)]).nofollow


def test_a_name_with_digits_is_heard_with_and_without_them() -> None:
    for named in ("bot5", "Bot5", "bot"):
        assert robots_directives([], [(named, "nofollow")], "bot5") == NOFOLLOW
        assert robots_directives([(b"x-robots-tag", f"{named}: nofollow".encode())], [], "bot5") == NOFOLLOW
    assert robots_directives([], [("bot1", "nofollow"), ("", "nofollow")], "bot5") == NOTHING
    assert robots_directives([(b"x-robots-tag", b"bot1: nofollow")], [], "bot5") == NOTHING
    assert robots_directives([], [("360spider", "nofollow")], "360Spider") == NOFOLLOW
    assert robots_directives([], [("", "nofollow")], "360Spider") == NOTHING
