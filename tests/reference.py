"""docs/api.md, written from the docstrings of what `import weft` offers. `make reference` writes it."""

from __future__ import annotations

import enum
import inspect
import re
import textwrap
from importlib import import_module
from pathlib import Path
from types import ModuleType, UnionType
from typing import Annotated, Any, ForwardRef, Union, get_args, get_origin, is_typeddict

import msgspec

import weft
from weft.settings.setting import Setting

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "api.md"
PYTHON_PAGE = ROOT / "docs" / "python.md"
LINE = 120
HEAD = """\
# Reference

Everything that `import weft` offers, from its docstrings: `make reference` writes this page. [python.md](python.md)
tells how it is used, and has for each name a program that runs.

"""
KINDS = ("Functions", "Classes", "Figures and results", "Settings and options", "Errors")


def public() -> dict[str, Any]:
    """Each name with what it stands for; where a package is called like its function, the function."""
    found = {name: getattr(weft, name) for name in weft.__all__ if name != "__version__"}
    modules = {name for name, value in found.items() if isinstance(value, ModuleType)}
    return found | {name: getattr(import_module(f"weft.api.{name}"), name) for name in modules}


def kind_of(value: Any) -> str:
    if inspect.isfunction(value):
        return "Functions"
    if is_typeddict(value) or value is weft.CrawlConfig:
        return "Settings and options"
    if issubclass(value, BaseException):
        return "Errors"
    return "Figures and results" if issubclass(value, msgspec.Struct | enum.Enum) else "Classes"


def examples() -> dict[str, str]:
    """The first section of docs/python.md with a program that uses a name."""
    found: dict[str, str] = {}
    for section in re.split(r"^## ", PYTHON_PAGE.read_text(), flags=re.MULTILINE):
        programs = "".join(re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
        for name in re.findall(r"\bweft\.(\w+)", programs):
            found.setdefault(name, section.partition("\n")[0])
    return found


def written() -> str:
    """The whole page."""
    names, used = public(), examples()
    parts = [HEAD]
    anchors: list[str] = []  # a page's second one of a name has a number
    for kind in KINDS:
        ours = {name: value for name, value in names.items() if kind_of(value) == kind}
        links = []
        for name in ours:
            anchor = f"weft{name.lower()}"
            links.append(f"[`{name}`](#{anchor}{'-1' if anchor in anchors else ''})")
            anchors.append(anchor)
        parts.append(f"## {kind}\n\n{', '.join(links)}\n\n")
        parts += [entry_of(name, value, used.get(name, "")) for name, value in ours.items()]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).rstrip() + "\n"


def entry_of(name: str, value: Any, section: str) -> str:
    parts = [f"### weft.{name}\n\n"]
    if inspect.isfunction(value):
        awaited = "await " if inspect.iscoroutinefunction(value) else ""
        parts.append(_code(f"{awaited}weft.{name}", value))
    parts.append(_doc(value) + "\n\n")
    if inspect.isclass(value):
        parts += _members_of(value)
    if section:
        anchor = re.sub(r"[^\w -]", "", section.lower()).replace(" ", "-")
        where = "At the top" if section.startswith("# ") else section
        link = "python.md" if section.startswith("# ") else f"python.md#{anchor}"
        parts.append(f"Example: [{where}]({link}).\n\n")
    return "".join(parts)


def _members_of(value: Any) -> list[str]:
    if issubclass(value, enum.Enum):
        comments = _comments_of(value)
        rows = [f"| `{one.name}` | `{one.value!r}` | {comments.get(one.name, '')} |\n" for one in value]
        return ["| | | |\n|---|---|---|\n", *rows, "\n"]
    if is_typeddict(value) or issubclass(value, msgspec.Struct):
        return _fields_of(value) + _methods_of(value)
    return _methods_of(value)


def _fields_of(value: Any) -> list[str]:
    comments: dict[str, str] = {}
    types: dict[str, str] = {}
    for one in reversed(value.__mro__):
        comments |= _comments_of(one)
        kinds = inspect.get_annotations(one)
        comments |= {name: words for name, kind in kinds.items() if (words := _help_of(kind))}
        types |= {name: _written(kind) for name, kind in kinds.items()}
    names = value.__annotations__ if is_typeddict(value) else value.__struct_fields__
    rows = [f"| `{name}` | `{_cell(_type(types[name]))}` | {comments.get(name, '')} |\n" for name in names]
    return ["| field | type | |\n|---|---|---|\n", *rows, "\n"]


def _methods_of(value: Any) -> list[str]:
    parts = []
    for name, member in sorted(vars(value).items()):
        plain = getattr(member, "func", getattr(member, "fget", getattr(member, "__func__", member)))
        if name.startswith("_") or not inspect.isfunction(plain) or not plain.__doc__:
            continue
        if plain is member or isinstance(member, classmethod):
            awaited = "await " if inspect.iscoroutinefunction(plain) else ""
            parts.append(_code(f"{awaited}{name}", plain))
        else:
            kind = inspect.signature(plain).return_annotation
            parts.append(f"    {name}: {_type(str(kind))}\n\n")
        parts.append(f"{_doc(plain)}\n\n")
    return parts


def _code(called: str, function: Any) -> str:
    """How it is called, an argument a line where it is long."""
    whole = inspect.signature(function)
    shown: list[str] = []
    for one in whole.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not any(word.startswith("*") for word in shown):
            shown.append("*")
        if one.name not in ("self", "cls"):
            stars = "*" * ((one.kind is one.VAR_POSITIONAL) + 2 * (one.kind is one.VAR_KEYWORD))
            default = "" if one.default is one.empty else f" = {one.default!r}"
            shown.append(f"{stars}{one.name}: {_type(str(one.annotation))}{default}")
    words = f"{called}({', '.join(shown)}) -> {_type(str(whole.return_annotation))}"
    if len(words) + 4 > LINE:
        lines = "".join(f"    {one},\n" for one in shown)
        words = f"{called}(\n{lines}) -> {_type(str(whole.return_annotation))}"
    return textwrap.indent(words, "    ") + "\n\n"


def _help_of(kind: Any) -> str:
    """What a setting says of itself."""
    return next((one.help for one in getattr(kind, "__metadata__", ()) if isinstance(one, Setting)), "")


def _written(kind: Any) -> str:
    """A type as one writes it; what is said beside it (`Annotated`) is left out."""
    if isinstance(kind, ForwardRef):
        return kind.__forward_arg__
    if get_origin(kind) is Annotated:
        return _written(kind.__origin__)
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(map(_written, get_args(kind)))
    if isinstance(kind, type) and not get_args(kind):
        return kind.__name__.replace("NoneType", "None")
    words = str(kind)
    return re.sub(r"\bweft(?:\.\w+)*\.(\w+)", r"\1", words)


def _type(words: str) -> str:
    return words.strip("'\"").replace("typing.", "")


def _cell(words: str) -> str:
    """In a table, where `|` ends a cell."""
    return words.replace("|", "\\|")


def _doc(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def _comments_of(value: Any) -> dict[str, str]:
    """What stands behind the fields or members of a class in its source."""
    try:
        source = inspect.getsource(value)
    except (OSError, TypeError):
        return {}
    return {
        name: words.strip() for name, words in re.findall(r"^    (\w+)(?::| =)[^#\n]*# (.*)$", source, re.MULTILINE)
    }


if __name__ == "__main__":
    PAGE.write_text(written())
