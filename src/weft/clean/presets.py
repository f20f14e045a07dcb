"""Rules for common purposes.

| preset    | for                            | killed besides head, scripts and styles | attributes that stay     |
|-----------|--------------------------------|-----------------------------------------|--------------------------|
| `none`    | a page as it is                | nothing, and these stay                 | all                      |
| `paper`   | what paper 4 deletes before    | form controls, object, param, img, br   | all                      |
|           | pages are screened             |                                         |                          |
| `text`    | words and their structure      | inputs, and all that is not text:       | lang, dir                |
|           |                                | pictures, sound, frames, drawings       |                          |
| `article` | what a page is about, to be    | form controls, frames, and what stands  | those that mean          |
|           | read elsewhere                 | around an article: nav, aside, footer … | something: href, alt, id |
| `safe`    | pages of strangers, to be      | inputs, frames, plug-ins, drawings      | those that mean          |
|           | shown to a reader              | (and see `safety`)                      | something, and are safe  |

Comments, doctype and empty text go with all others. Tags that are only about looks (font, span …) are unwrapped by
`text` and `article`, links by `text`.

A `form` is unwrapped: on many sites it holds the whole page. Its controls, by which a reader would answer, are
killed with their contents: input, select, option, optgroup, datalist, textarea, keygen. Of the others,

- `button` is a control too. The words on it name an action ("Search", "Copy"), so `paper` and `article` kill it.
  But on some pages questions and headings that unfold are buttons, so `text` and `safe`, which promise the page's
  words, keep the words;
- `label`, `fieldset` and `legend` hold words beside the controls, or a whole page; `output`, `meter` and `progress`
  tell the reader something. They stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from weft.clean.rules import Rules

_HEAD: Final = ("head", "title", "meta", "style")
_INPUTS: Final = ("input", "select", "option", "optgroup", "datalist", "textarea", "keygen")
_OTHER_HEAD: Final = ("link", "base", "noscript", "template")
_FRAMES: Final = ("iframe", "frame", "frameset", "noframes", "embed", "noembed", "applet", "object", "param", "portal")
_DRAWINGS: Final = ("svg", "canvas")
_MEDIA: Final = ("img", "picture", "source", "audio", "video", "track", "map", "area", "bgsound", "image")
_LOOKS: Final = ("font", "span", "center", "big", "basefont", "tt", "blink", "marquee", "nobr", "wbr")
_LANGUAGE: Final = ("lang", "dir")
_MEANINGFUL: Final = (
    *_LANGUAGE, "href", "src", "alt", "title", "cite", "datetime", "colspan", "rowspan", "headers", "scope", "abbr",
    "start", "reversed", "value", "type", "width", "height", "span", "open",
)  # fmt: skip

PRESETS: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "none": Rules(comments=True, doctype=True, empty_text=True),
        "paper": Rules(
            kill=(*_HEAD, "script", *_INPUTS, "button", "object", "param", "img", "br"),
            unwrap=("form",),
        ),
        "text": Rules(
            kill=(*_HEAD, "script", *_OTHER_HEAD, *_INPUTS, *_FRAMES, *_DRAWINGS, *_MEDIA),
            unwrap=("form", "button", "a", *_LOOKS),
            keep_attributes=_LANGUAGE,
        ),
        "article": Rules(
            kill=(
                *(*_HEAD, "script", *_OTHER_HEAD, *_INPUTS, "button", *_FRAMES, *_DRAWINGS),
                *("nav", "aside", "footer", "menu", "dialog", "search"),
            ),
            unwrap=("form", *_LOOKS),
            drop=(
                '[role]:is([role="navigation" i], [role="search" i], [role="banner" i], [role="contentinfo" i],'
                ' [role="complementary" i], [role="dialog" i]), [hidden], [aria-hidden="true" i]',
            ),
            keep_attributes=(*_MEANINGFUL, "id"),
        ),
        "safe": Rules(
            kill=(*_HEAD, "script", *_OTHER_HEAD, *_INPUTS, *_FRAMES, *_DRAWINGS),
            unwrap=("form", "button"),
            keep_attributes=_MEANINGFUL,
            safe=True,
        ),
    }
)
