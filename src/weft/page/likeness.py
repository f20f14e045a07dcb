"""How alike two pages are: what is needed to say that a page came again, or that a day of a calendar is empty.

It runs in the parse workers, only for pages that may be part of an endless walk: it takes as long as all else there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

import msgspec
from xxhash import xxh3_64_intdigest

from weft.fetch import decode_response
from weft.filter.calendars import without_dates
from weft.filter.session_ids import MIN_ID_CHARS, session_id_in
from weft.filter.trail import Trail
from weft.media import FIRST_BYTES, is_html
from weft.page.large_pages import LARGE_BYTES
from weft.page.leads import Leads
from weft.regex import regex
from weft.types import Fetched, FoundLink, Kind, Likeness, Link, PageRow, TrailNote

_ID = regex(
    rb"(?:&amp;|[;?&])(?:jsessionid|phpsessid|aspsessionid[a-z]*|oscsid|zenid|sid|sess|sessid|session[_-]?id|session)="
    rb"([\w.~!%%:-]{%d,})|/\(((?:[a-z]\([0-9a-z]{24}\))+)\)(?=/)" % MIN_ID_CHARS,
    re.IGNORECASE,
)
_TARGET = regex(rb"""\b(?:href|src|action)\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_WORD = regex(r"[^\W\d_]+")
_NUMBER = regex(r"\d[\d.,:]*")
MAX_NUMBERS: Final = 256
_LONG_NUMBER = regex(r"\d{8,}")  # a time or a date, as URLs write them

# Names of months and days in the languages that many calendars are written in, and their short forms: the first three
# letters, or four. Where they are missing, the days of a walk look alike only from the second year on.
_DATE_NAMES: Final = """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday today am pm
    januar jänner februar feber märz mai juni juli oktober dezember
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag heute uhr mo di mi do fr sa so
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    lundi mardi mercredi jeudi vendredi samedi dimanche aujourd
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    lunes martes miércoles jueves viernes sábado domingo hoy
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    lunedì martedì mercoledì giovedì venerdì sabato domenica oggi
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
    segunda terça quarta quinta sexta feira hoje
    januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag vandaag
    styczeń stycznia luty lutego marzec marca kwiecień kwietnia maj maja czerwiec czerwca lipiec lipca sierpień sierpnia
    wrzesień września październik października listopad listopada grudzień grudnia
    poniedziałek wtorek środa czwartek piątek sobota niedziela
    январь января февраль февраля март марта апрель апреля май мая июнь июня июль июля август августа сентябрь сентября
    октябрь октября ноябрь ноября декабрь декабря понедельник вторник среда четверг пятница суббота воскресенье
"""
DATE_WORDS: Final = frozenset(form for word in _DATE_NAMES.split() for form in (word, word[:3], word[:4]))


def trail_note(
    link: Link, fetched: Fetched, leads: Leads, trail: Trail, passed: Callable[[Link], FoundLink | None] | None
) -> TrailNote | None:
    """What the engine should know of a page's part in endless walks; None of nearly all pages.

    `passed` says what filters make of a link, and that the page is to be compared with others.
    """
    if passed is None and not trail.walk and not trail.named:
        return None
    own = session_id_in(link.url) if passed is not None else None
    bare = None
    if passed is not None and own is not None:
        kind = Kind.LINK if link.kind is Kind.SEED else link.kind
        bare = passed(msgspec.structs.replace(link, url=own.bare, kind=kind, redirects=0, attempts=0, not_before=0.0))
    return TrailNote(
        likeness_of(link, fetched) if passed is not None else None,
        bare,
        trail.new_id(),
        sorted(trail.named),
        trail.walk,
        day_print(link, fetched, _outside(leads, trail)) if trail.walk else 0,
    )


def _outside(leads: Leads, trail: Trail) -> list[str]:
    return [url for url, _, _ in leads.urls if not trail.is_walk(url)]


def likeness_of(link: Link, fetched: Fetched) -> Likeness | None:
    """What a page is like, session ids aside; None of one that is too large to be compared."""
    body = decode_response(fetched, LARGE_BYTES).data
    if len(body) >= LARGE_BYTES:
        return None
    ids = _session_ids(link.url, body)
    same_bytes = _without_ids(body, ids)
    if not is_html(fetched.media_type, body[:FIRST_BYTES]):
        return Likeness(xxh3_64_intdigest(same_bytes))  # files are the same or they are not
    text = _text(link, fetched)
    for each in ids:
        text = text.replace(each.decode("latin-1"), "")
    words = _WORD.findall(text.lower())
    said = " ".join(word for word in words if word not in DATE_WORDS).encode("utf-8", "replace")
    targets = b" ".join(_TARGET.findall(same_bytes))
    numbers = _NUMBER.findall(text)
    return Likeness(
        xxh3_64_intdigest(same_bytes),
        xxh3_64_intdigest(said + b"\0" + targets),
        bytes(xxh3_64_intdigest(number.encode()) & 0xFF for number in numbers[:MAX_NUMBERS]),
        len(numbers) / (len(numbers) + len(words)) if numbers else 0.0,
    )


def day_print(link: Link, fetched: Fetched, outside: Iterable[str]) -> int:
    """What a page of a calendar has of its own: its words and where it leads, all dates aside. 0 of a large page."""
    if len(decode_response(fetched, LARGE_BYTES).data) >= LARGE_BYTES:
        return 0
    words = {word for word in _WORD.findall(_text(link, fetched).lower()) if word not in DATE_WORDS}
    targets = {_LONG_NUMBER.sub("", without_dates(url)) for url in outside}
    return xxh3_64_intdigest(" ".join((*sorted(words), "\0", *sorted(targets))).encode("utf-8", "replace"))


def _text(link: Link, fetched: Fetched) -> str:
    from weft.page import Page  # only for those few

    return Page(PageRow(link.url, fetched.status, fetched.started_at, link.depth), lambda: fetched).text


def _session_ids(url: str, body: bytes) -> list[bytes]:
    """The URL's own, and the one that the page gives to its links instead.

    A page that gives them several, or its own and another, names pages by them.
    """
    own = session_id_in(url)
    ids = {own.value.encode()} if own is not None else set()
    given = {argument or folder for argument, folder in _ID.findall(body)}
    return sorted(ids | given if len(given) == 1 else ids, key=len, reverse=True)


def _without_ids(body: bytes, ids: list[bytes]) -> bytes:
    """The body as if nobody had put ids into its links: `?sid=1&t=2`, `?t=2&amp;sid=1` and `?t=2` become the same."""
    if not ids:
        return body.replace(b"&amp;", b"&").replace(b"?", b"&")
    body = _ID.sub(lambda found: b"" if (found[1] or found[2]) in ids else found[0], body)
    for each in ids:
        body = body.replace(each, b"")
    return body.replace(b"&amp;", b"&").replace(b"?", b"&")
