"""A form of a page, filled in: what a browser would send, as a `weft.Request`.

    yield page.submit({"username": "me", "password": "secret"})

Fields that are not named keep what they hold: hidden ones, as tokens against forgery are, what is checked or selected.
It follows the HTML standard, "Form submission", but for scripts, and files to be sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from turbohtml import Document, DocumentFragment, Element, Namespace

from weft.errors import BadInput
from weft.page.form_body import MULTIPART, PLAIN_TEXT, URLENCODED, Entry, Filled, charset_of
from weft.page.request import Request
from weft.types import Kind
from weft.url import canonicalize

CONTROLS: Final = "form, input, select, textarea, button"
_BUTTONS: Final = frozenset(("submit", "image"))
_NEVER_SENT: Final = frozenset(("reset", "button"))
_CHECKABLE: Final = frozenset(("checkbox", "radio"))
_ONE_LINE: Final = frozenset(("text", "search", "tel", "url", "email", "password"))
_TABLE_PARTS: Final = frozenset(("table", "tbody", "thead", "tfoot", "tr"))
_MOST_NAMED: Final = 20  # fields, in an error


class Control(NamedTuple):
    """Something in a form that has a value."""

    element: Element
    name: str
    kind: str  # the type of an input or button in lower case; else the tag
    is_disabled: bool

    @property
    def is_button(self) -> bool:
        """Whether it sends the form."""
        return self.kind in _BUTTONS and not self.is_disabled


class Form:
    """A form, with all controls that belong to it, wherever they stand."""

    def __init__(self, element: Element, controls: list[Control]) -> None:
        self.element = element
        self.controls = controls

    @property
    def fields(self) -> list[str]:
        """The names that can be filled in, each once."""
        names = (one.name for one in self.controls if one.kind not in _BUTTONS | _NEVER_SENT)
        return list(dict.fromkeys(filter(None, names)))

    def button(self, wanted: str | None) -> Control | None:
        """The button that is pressed: the one with this name, id, value or text; else the first one, as Enter does."""
        buttons = [one for one in self.controls if one.is_button]
        if wanted is None or not wanted:
            return buttons[0] if buttons and wanted is None else None
        for one in buttons:
            element = one.element
            if wanted in (one.name, element.attr("id"), element.attr("value"), element.text.strip()):
                return one
        raise BadInput(f"the form has no button {wanted!r}")

    def filled(self, values: Mapping[str, object], button: str | None, page_charset: str) -> Filled:
        """The form with these values in it."""
        if unknown := [name for name in values if name not in self.fields]:
            raise BadInput(f"the form has no field {unknown[0]!r}; it has {_listed(self.fields)}")
        pressed = self.button(button)
        charset = charset_of(self.element.attr("accept-charset"), page_charset)
        given = {name: self._texts(name, value) for name, value in values.items()}
        entries: list[Entry] = []
        passwords = {one.name for one in self.controls if one.kind == "password"}
        is_secret = False
        for control in self._sent(pressed):
            before = len(entries)
            if control.name not in given:
                entries += _entries(control, charset)
            else:
                entries += [Entry(control.name, text) for text in given[control.name]]
                given[control.name] = []  # in the place of the first of its name
            is_secret |= control.name in passwords and any(entry.value for entry in entries[before:])
        said = pressed.element if pressed is not None else self.element
        return Filled(
            action=said.attr("formaction") or self.element.attr("action") or "",
            method=_method(said.attr("formmethod") or self.element.attr("method")),
            form=_form(said.attr("formenctype") or self.element.attr("enctype")),
            charset=charset,
            entries=entries,
            is_secret=is_secret,
        )

    def _sent(self, pressed: Control | None) -> Iterator[Control]:
        # Of several radio buttons that are checked, the last one is.
        checked = {one.name: one for one in self.controls if one.kind == "radio" and one.element.checked}
        for control in self.controls:
            if control.kind in _NEVER_SENT or (control.kind in _BUTTONS and control is not pressed):
                continue
            if control.kind == "radio" and checked.get(control.name, control) is not control:
                continue
            yield control

    def _texts(self, name: str, value: object) -> list[str]:
        if value is None:
            return []
        controls = [one for one in self.controls if one.name == name]
        if any(one.kind == "file" for one in controls):
            raise BadInput(f"the field {name!r} is for a file, which weft does not send")
        if isinstance(value, bool):
            boxes = [one for one in controls if one.kind in _CHECKABLE]
            if not boxes:
                raise BadInput(f"the field {name!r} takes a text: only a box can be checked")
            return [one.element.attr("value") or "on" for one in boxes] if value else []
        texts = value if isinstance(value, list | tuple | set | frozenset) else (value,)
        for text in texts:
            if isinstance(text, bool) or not isinstance(text, str | int | float):
                raise BadInput(f"the field {name!r} takes a text, or a list of texts, not {type(text).__name__}")
        return [str(text) for text in texts]


def submitted(filled: Filled, page_url: str, base: str, headers: Mapping[str, str], kind: Kind) -> Request:
    """The request that a browser makes of a form; BadInput if its URL would have a password in it."""
    action = filled.action.strip()
    url = canonicalize(action, base, filled.charset) if action else page_url
    if filled.method == "GET":
        if filled.is_secret:
            raise BadInput("the form would put the password into a URL, so it is not sent")
        bare = url.partition("#")[0].partition("?")[0]
        return Request(canonicalize(f"{bare}?{filled.query()}"), headers=headers, kind=kind)
    body, media_type = filled.body()
    if "content-type" not in map(str.lower, headers):
        headers = {**headers, "Content-Type": media_type}
    return Request(url, method="POST", data=body, headers=headers, kind=kind, secret=filled.is_secret)


def form_on(document: Document, wanted: str | int | None, fields: Iterable[str]) -> Form:
    """The form that is meant: by its number, its name or id, a CSS selector; else the first that has the fields."""
    forms = forms_of(document)
    if not forms:
        raise BadInput("the page has no form")
    if wanted is None:
        names = set(fields)
        return next((form for form in forms if names <= set(form.fields)), forms[0])
    if isinstance(wanted, int):
        if not -len(forms) <= wanted < len(forms):
            raise BadInput(f"the page has {len(forms)} forms, and none with the number {wanted}")
        return forms[wanted]
    if not isinstance(wanted, str):
        raise BadInput(f"a form is named by a number or a text, not by {type(wanted).__name__}")
    for form in forms:
        if wanted in (form.element.attr("name"), form.element.attr("id")):
            return form
    try:
        chosen = document.select(wanted)
    except ValueError as error:
        raise BadInput(f"a form {wanted!r} is not on the page, and it is no CSS selector: {error}") from error
    for element in chosen:
        if found := next((form for form in forms if form.element in (element, element.closest("form"))), None):
            return found
    raise BadInput(f"the page has no form {wanted!r}")


def forms_of(document: Document) -> list[Form]:
    """All forms, with what belongs to them: within them, or by the attribute `form`."""
    forms: dict[Element, Form] = {}
    loose: dict[Element | None, Element] = {}  # forms that the parser closed at once, as they stand between table rows
    elements = [one for one in document.select(CONTROLS) if one.namespace is Namespace.HTML and not _is_inert(one)]
    by_id: dict[str, Element] = {}
    for element in elements:
        if element.tag == "form":
            forms[element] = Form(element, [])
            by_id.setdefault(element.attr("id") or "", element)
            if getattr(element.parent, "tag", "") in _TABLE_PARTS:
                loose[element.closest("table")] = element
    for element in elements:
        if element.tag == "form":
            continue
        if (named := element.attr("form")) is not None:
            owner = by_id.get(named) if named else None
        else:
            owner = element.closest("form") or (loose.get(element.closest("table")) if loose else None)
        if owner is not None and owner in forms:
            forms[owner].controls.append(_control(element))
    return list(forms.values())


def _control(element: Element) -> Control:
    kind = element.tag
    if kind == "input":
        kind = (element.attr("type") or "text").strip().lower()
    elif kind == "button":
        said = (element.attr("type") or "submit").strip().lower()
        kind = said if said in ("reset", "button") else "submit"
    return Control(element, element.attr("name") or "", kind, _is_disabled(element))


def _is_inert(element: Element) -> bool:
    """Whether it stands where nothing is live: in a template, or among the suggestions of a field."""
    return any(isinstance(one, DocumentFragment) or getattr(one, "tag", "") == "datalist" for one in element.ancestors)


def _is_disabled(element: Element) -> bool:
    if element.attr("disabled") is not None:
        return True
    below: object = element
    for one in element.ancestors:
        if getattr(one, "tag", "") == "fieldset" and isinstance(one, Element) and one.attr("disabled") is not None:
            legend = next((child for child in one.children if getattr(child, "tag", "") == "legend"), None)
            if legend is None or below is not legend:
                return True
        below = one
    return False


def _entries(control: Control, charset: str) -> list[Entry]:
    """What a control sends by itself."""
    name, element, kind = control.name, control.element, control.kind
    if control.is_disabled or (not name and kind != "image"):
        return []
    if kind == "image":
        prefix = f"{name}." if name else ""
        return [Entry(f"{prefix}x", "0"), Entry(f"{prefix}y", "0")]
    if kind in _CHECKABLE:
        return [Entry(name, "on" if (value := element.attr("value")) is None else value)] if element.checked else []
    if kind == "select":
        return [Entry(name, value) for value in _selected(element)]
    if kind == "file":
        return [Entry(name, "", is_file=True)]
    value = element.text if kind == "textarea" else element.attr("value") or ""
    if kind == "hidden" and name == "_charset_":
        value = charset
    return [Entry(name, value.replace("\r", "").replace("\n", "") if kind in _ONE_LINE else value)]


def _selected(select: Element) -> list[str]:
    options = select.select("option")
    chosen = [one for one in options if one.attr("selected") is not None]
    if select.attr("multiple") is None:
        able = [one for one in options if not _is_option_disabled(one)]
        chosen = chosen[-1:] or (able[:1] if (select.attr("size") or "1").strip() in ("0", "1") else [])
    return [_value_of(one) for one in chosen if not _is_option_disabled(one)]


def _is_option_disabled(option: Element) -> bool:
    group = option.closest("optgroup")
    return option.attr("disabled") is not None or (group is not None and group.attr("disabled") is not None)


def _value_of(option: Element) -> str:
    value = option.attr("value")
    return " ".join(option.text.split()) if value is None else value


def _method(said: str | None) -> str:
    method = (said or "get").strip().upper()
    if method == "DIALOG":
        raise BadInput("the form closes a dialog, and is not sent")
    return "POST" if method == "POST" else "GET"


def _form(said: str | None) -> str:
    form = (said or "").strip().lower()
    return form if form in (MULTIPART, PLAIN_TEXT) else URLENCODED


def _listed(names: list[str]) -> str:
    if not names:
        return "none"
    return ", ".join(map(repr, names[:_MOST_NAMED])) + (", …" if len(names) > _MOST_NAMED else "")
