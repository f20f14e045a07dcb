"""What the names of an element say of it: its class, id, role and itemprop, read as words.

    <div id="articleRelated" class="box share-bar">      article related box share bar      Role.AROUND

Names are the words of a page's makers, mostly English whatever the language of the text; a few generic words of other
languages are here too. A name is a hint only: `has-sidebar` may hold the whole page, so the choice weighs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Final

from weft.regex import regex


class Role:
    """What the names of an element hint at; several bits may be set. Plain numbers: pages have many elements."""

    AROUND: Final = 1  # menus, adverts, share bars, related pages: what stands around an article
    COMMENTS: Final = 2  # what readers said of it
    BYLINE: Final = 4  # who wrote it and when: metadata, not text
    BODY: Final = 8  # the text of an article itself
    CONTENT: Final = 16  # the main part of a page, with perhaps more than the article
    MAYBE: Final = 32  # perhaps around an article, perhaps a part of it
    CAPTION: Final = 64  # of a picture


_ROLES_AROUND: Final = (
    "alert", "alertdialog", "banner", "complementary", "contentinfo", "dialog", "directory", "menu", "menubar",
    "navigation", "search", "status", "tablist", "toolbar", "tooltip",
)  # fmt: skip
_ROLES: Final = dict.fromkeys(_ROLES_AROUND, Role.AROUND) | {"main": Role.CONTENT}
_ITEMPROPS: Final = (
    dict.fromkeys(("articlebody", "recipeinstructions", "reviewbody", "text"), Role.BODY)
    | dict.fromkeys(("author", "datemodified", "datepublished", "keywords", "publisher"), Role.BYLINE)
    | {"comment": Role.COMMENTS}
)
# Long enough to mean the same within any word: `sidebarleft`, `jprelatedposts`. None is shorter than _KEY_CHARS.
_ANYWHERE: Final = (
    (
        "addtoany advert affiliat banniere barrierefrei beitragsnavigation breadcrumb brotkrumen consent cookie "
        "copyright donat editsection empfehl facebook footer fußzeile gdpr instagram kategorien linkedin linkliste "
        "masthead meistgelesen mostread navbar navigat newsletter noprint outbrain pagenav paginat partager paywall "
        "permalink pinterest postnav publicidad publicite recommend reklam related relacionad schlagwort "
        "seitenleiste sharedaddy sharing shariff sidebar signup sitemap skiplink social sponsor stichwort subscri "
        "syndicat taboola tagcloud taglist trackback trending twitter weiterlesen werbung whatsapp yarpp zergnet",
        Role.AROUND,
    ),
    ("disqus livefyre", Role.COMMENTS),
    ("byline authorbox authorinfo postmeta entrymeta articlemeta publishdate", Role.BYLINE),
    (
        "articlebody articletext articlecontent entrycontent postcontent postbody storybody storytext bodytext "
        "bodycopy pagecontent",
        Role.BODY,
    ),
    ("teaser readmore popular promo overlay bookmark feedback follow disclaimer hatnote", Role.MAYBE),
    ("caption bildunterschrift bildtext bildquelle imagecredit", Role.CAPTION),
)
_KEY_CHARS: Final = 4
_PARTS: Final[dict[str, list[tuple[str, int]]]] = {}  # by their first letters
for _parts, _role in _ANYWHERE:
    for _part in _parts.split():
        _PARTS.setdefault(_part[:_KEY_CHARS], []).append((_part, _role))
# Short, and only words of their own: `nav` is not in `navy`, nor `share` in `shareholder`.
_WORDS: Final = (
    (
        "addthis anzeige anzeigen compartir crumb crumbs foot linklist login menu menus mobilenav nav navi nextprev "
        "offcanvas pager postmeta ranking recirc recirculation reco register rss share shares sharebar sharer similar "
        "skyscraper sns tagged teilen ticker topbar topnav toolbar visuallyhidden",
        Role.AROUND,
    ),
    (
        "kommentar kommentare comentario comentarios commentaire commentaires commenti reacties respond leserbriefe "
        "responses discussion discussions trackback trackbacks pingback pingbacks",
        Role.COMMENTS,
    ),
    (
        "metadata meta dateline pubdate timestamp datetime published author authors autor autoren auteur bio biography "
        "vcard postinfo infobar date datum fecha lastmodified modified updated readingtime posted signature time",
        Role.BYLINE,
    ),
    # May as well be a part of an article that is shown in a special way: goes only where its text says the same.
    (
        "abo action actions ad ads archive archives badge badges banner button buttons category categories cats cta "
        "dialog further jump latest legal license link links mini modal more notice notification player poll popup "
        "print prompt rail rate rating ratings recent search shop skip stats tab tabs tag tags toc tool tools topic "
        "topics utility utilities view views vote votes widget widgets",
        Role.MAYBE,
    ),
    ("copyright credit credits didascalia epigrafe legend legende leyenda", Role.CAPTION),
    ("prose markdown hentry", Role.BODY),
    (
        "article content inhalt contenu contenido main story post entry text artikel beitrag body document maincontent",
        Role.CONTENT,
    ),
)
# One of the first before one of the second.
_PAIRS: Final = (
    ("see read", "also", Role.AROUND),
    ("read", "more", Role.AROUND),
    ("more latest other top recent popular", "news stories articles posts links from on", Role.AROUND),
    ("most", "read viewed popular shared commented recent", Role.AROUND),
    ("next prev previous", "prev previous next post article page nav story", Role.AROUND),
    ("post article entry page", "links tags actions tools", Role.AROUND),
    ("skip jump scroll", "link links to nav content", Role.AROUND),
    ("tag tags cat category topic", "list links cloud tags", Role.AROUND),
    ("language", "switch switcher selector menu chooser", Role.AROUND),
    ("widget", "area title recent archive categories search meta", Role.AROUND),
    ("reader sr", "text only", Role.AROUND),
    ("author writer autor", "bio box card description details info profile", Role.AROUND),
    (
        "image photo img picture media foto bild",
        "text description info source legend author metadata meta annotation notice footer",
        Role.CAPTION,
    ),
    (
        "article story entry post news blog page body text artikel beitrag content detail node field rich main copy",
        "body content text copy inhalt main maincontent richtext",
        Role.BODY,
    ),
)


_HINTS: Final[dict[str, int]] = {}
for _words, _role in _WORDS:
    for _word in _words.split():
        _HINTS[_word] = _HINTS.get(_word, 0) | _role
_SECONDS: Final[dict[str, dict[str, int]]] = {}  # by the first word of a pair
for _firsts, _others, _role in _PAIRS:
    for _word, _other in product(_firsts.split(), _others.split()):
        _seconds = _SECONDS.setdefault(_word, {})
        _seconds[_other] = _seconds.get(_other, 0) | _role

_CAMEL: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_LETTERS: Final = {code: " " for code in range(128) if not chr(code).isalpha()}
# What a writer put the article under, not what the element is: WordPress names each tag of a post in its class.
_FILED: Final = ("elementor", "hentry", "has-", "no-", "post-", "status-", "type-", "with-", "without-")
_FILED_UNDER: Final = (
    "author-", "cat-", "category-", "col-", "elementor-", "format-", "has-", "is-", "js-", "no-", "tag-", "topic-",
    "with-", "without-", "wp-",
)  # fmt: skip
_MAX_NAME_CHARS: Final = 300
_MAX_CACHED: Final = 8_192
_NO_SECONDS: Final[Mapping[str, int]] = MappingProxyType({})


def role_of(names: str | None, id_: str | None, role: str | None, itemprop: str | None) -> int:
    """What class, id, role and itemprop hint at."""
    found = _of_names(names[:_MAX_NAME_CHARS]) if names else 0
    if id_:
        found |= _of_names(id_[:_MAX_NAME_CHARS])
    if role:
        found |= _ROLES.get(role.lower(), 0)
    if itemprop:
        found |= _ITEMPROPS.get(itemprop.lower(), 0)
    return found


@lru_cache(maxsize=_MAX_CACHED)
def _of_names(names: str) -> int:
    if not names.islower():
        names = _CAMEL.sub(" ", names).lower()
    if "-" in names:
        each = names.split()
        for name in each:
            if name.startswith(_FILED):
                names = " ".join([name for name in each if not name.startswith(_FILED_UNDER)])
                break
    found = 0
    seconds = _NO_SECONDS
    for word in names.translate(_NO_LETTERS).split():
        found |= _of_word(word) | seconds.get(word, 0)
        seconds = _SECONDS.get(word, _NO_SECONDS)
    return found


@lru_cache(maxsize=_MAX_CACHED)
def _of_word(word: str) -> int:
    found = _HINTS.get(word, 0)
    if word.startswith("comment") or word.endswith(("comment", "comments")):
        found |= Role.COMMENTS
    for place in range(len(word) - _KEY_CHARS + 1):
        for part, role in _PARTS.get(word[place : place + _KEY_CHARS], ()):
            if word.startswith(part, place):
                found |= role
    return found
