"""What pages say of their versions in other languages: whether a code means something, and whether it is said back."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import Final

from weft.regex import regex

# ISO 639-1 and ISO 3166-1, which search engines read; three letters (ISO 639-2) are taken as they are.
_LANGUAGE_CODES: Final = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el "
    "en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu "
    "ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na "
    "nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn "
    "so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "
)
_REGION_CODES: Final = (
    "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz "
    "ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo "
    "fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je "
    "jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo "
    "mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw "
    "py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm "
    "tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws xk ye yt za zm zw "
)
_LANGUAGES: Final = frozenset(_LANGUAGE_CODES.split())
_REGIONS: Final = frozenset(_REGION_CODES.split())
_CODE: Final = regex(r"([a-z]{2,3})(-[a-z]{4})?(?:-([a-z]{2}|[0-9]{3}))?", re.ASCII)
_PAIRS_AT_ONCE: Final = 500_000  # some 40 MB


def is_code(code: str) -> bool:
    """Whether search engines know what a code means: a language, perhaps a script and a region; or x-default."""
    code = code.lower()
    match = _CODE.fullmatch(code)
    if match is None:
        return code == "x-default"
    language, _, region = match.groups()
    return (len(language) == 3 or language in _LANGUAGES) and (region is None or region.isdigit() or region in _REGIONS)


class Alternates:
    """Which page names which as its version in another language; 24 bytes a pair."""

    def __init__(self) -> None:
        self._pages = array("I")
        self._others = array("I")
        self._said = array("q")
        self._awaited = array("q")

    def add(self, page: int, other: int) -> None:
        """A page names another one."""
        self._pages.append(page)
        self._others.append(other)
        self._said.append(hash((page, other)))
        self._awaited.append(hash((other, page)))

    def not_returned(self) -> Iterator[tuple[int, int]]:
        """Page and other, where the other one does not name the page."""
        parts = len(self._said) // _PAIRS_AT_ONCE + 1
        for part in range(parts):
            said = {pair for pair in self._said if pair % parts == part}
            for at, pair in enumerate(self._awaited):
                if pair % parts == part and pair not in said:
                    yield self._pages[at], self._others[at]
