r"""Which patterns of weft have a possessive group: a line for each. `python -m tests.possessive_groups`

It loads all of weft with an `re.compile` that looks at what it gets, because many patterns are put together from
pieces; those that weft compiles late are compiled at once. And it reads the source for those that stand in calls of
`re.match` and its like. `[^-]*+` is no group.
"""

from __future__ import annotations

import ast
import pkgutil
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")
_constants: Any = import_module("re._constants")


def has_possessive_group(pattern: str | bytes) -> bool:
    """Whether something that is more than one character, or is captured, is repeated possessively."""
    return any(
        name is _constants.POSSESSIVE_REPEAT and not _compiler._simple(value[2])
        for name, value in _operations(_parser.parse(pattern))
    )


def _operations(parsed: Any) -> Iterator[tuple[Any, Any]]:
    for operation in parsed:
        if isinstance(operation, tuple) and len(operation) == 2 and isinstance(operation[0], type(_constants.LITERAL)):
            yield operation
        if isinstance(operation, tuple | list | _parser.SubPattern):
            yield from _operations(operation)


def _compiled_by_weft() -> list[str | bytes]:
    patterns: list[str | bytes] = []
    compile_itself = re.compile

    def compile_and_note(pattern: Any, flags: Any = 0) -> Any:
        if sys._getframe(1).f_globals["__name__"].startswith("weft"):
            patterns.append(pattern)
        return compile_itself(pattern, flags)

    setattr(re, "compile", compile_and_note)  # noqa: B010 - this process ends with it
    import weft.regex

    setattr(weft.regex, "regex", compile_and_note)  # noqa: B010
    for module in pkgutil.walk_packages(weft.__path__, "weft."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return patterns


def _written_in_calls(source: str) -> Iterator[str | bytes]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[ast.Constant(value=value), *_]):
                if isinstance(value, str | bytes):
                    yield value


if __name__ == "__main__":
    patterns = _compiled_by_weft()
    for path in Path(import_module("weft").__path__[0]).rglob("*.py"):
        patterns += _written_in_calls(path.read_text())
    assert len(patterns) > 300, "they were not found"
    for pattern in filter(has_possessive_group, patterns):
        print(pattern)
