"""Tag deletion: what carries nothing is taken out of a page. Pure: bytes come in, a string goes out.

    content ──html_of──▶ text ──▶ tree ──┬─ title, language                                        cleaner.py
    (sniffing.py)                        ├─ kill, unwrap                                           elements.py
                                         ├─ attributes, comments, doctype, empty text, safety      attributes.py, …
                                         └─▶ HTML, text, Markdown or the article                   form.py

`Rules` say what goes (`rules.py`, `presets.py`), `Form` what the rest is written as, and a `Cleaner` made of the two
cleans page after page:

    Cleaner(PRESETS["paper"], Form.HTML).clean(body, url, content_type).content

The tree work is done by turbohtml, which caps a tree's depth at 512 elements as browsers do, so that no page is too
deep; what is written in Python goes through lists, and takes time in proportion to the page.
"""

from __future__ import annotations

from weft.clean.cleaned import Cleaned
from weft.clean.cleaner import Cleaner
from weft.clean.form import PRESET_OF, Form
from weft.clean.not_cleanable import NotCleanable
from weft.clean.presets import PRESETS
from weft.clean.reading import preset_named, rules_from
from weft.clean.rules import Rules
from weft.lazy_names import make_callable

__all__ = ["PRESETS", "PRESET_OF", "Cleaned", "Cleaner", "Form", "NotCleanable", "Rules", "preset_named", "rules_from"]

make_callable(__name__, "weft.api.clean")
