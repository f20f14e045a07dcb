"""The shape of the source tree: imports point one way, and files stay short enough to be read at once."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import weft

SOURCE = Path(weft.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

BASE = {
    "url", "media", "types", "errors", "clock", "config", "settings", "state", "workers", "import_path",
    "crash_points", "lazy_names", "_version", "product_token", "regex", "repeats", "whole_file", "missing_library",
    "in_thread", "listening", "logs", "program", "not_forked", "function_kinds", "members", "cores",
}  # fmt: skip
STAGES = {
    "filter", "seen", "frontier", "order", "dns", "robots", "fetch", "parse", "clean", "store", "graph",
    "mirror", "stats",
}  # fmt: skip

# What each part may import besides itself, from the command line down to the base. A folder below a part may have a
# line of its own. mirror and clean come after parse on a page's way, and read pages as it does.
# simweb stands beside all this: it judges the crawler, so it shares no stage with it.
ALLOWED: dict[str, set[str]] = {
    **dict.fromkeys(BASE | STAGES | {"simweb"}, BASE),
    **dict.fromkeys(("mirror", "clean"), BASE | {"parse", "fetch"}),
    "page": BASE | STAGES,
    "flow": BASE | STAGES | {"page"},
    "folder": BASE | STAGES | {"page"},
    "pipeline": BASE | STAGES | {"page", "flow", "folder"},
    "export": BASE | STAGES | {"page", "folder"},
    "site": BASE | STAGES | {"page", "folder"},
    "mirror.site": BASE | STAGES | {"page", "folder", "pipeline"},
    "clean.bulk": BASE | STAGES | {"page", "folder", "export"},
    "extract": BASE | STAGES | {"page", "folder", "export"},
    "cluster": BASE | STAGES | {"page", "flow", "folder", "pipeline", "live"},
    "engines": BASE | STAGES | {"folder", "pipeline", "live"},
    "live": BASE | STAGES | {"folder", "pipeline"},
    "explain": BASE | STAGES | {"folder", "pipeline"},
    "dashboard": BASE | {"live", "pipeline", "stats", "cluster"},
    "api": BASE
    | STAGES
    | {
        "page",
        "folder",
        "pipeline",
        "live",
        "engines",
        "cluster",
        "export",
        "mirror.site",
        "clean.bulk",
        "explain",
        "site",
        "pack",
    }
    | {"extract"},
    "pack": BASE,
    "serve": BASE | {"pack", "mirror", "folder"},
    "cli": BASE
    | STAGES
    | {"flow", "folder", "pipeline", "cluster", "engines", "simweb", "page", "api"}
    | {"export", "mirror.site", "clean.bulk", "extract", "site", "pack", "serve", "live", "dashboard", "explain"},
    "weft": BASE | {"api", "page", "stats", "live", "explain", "site"},
    "__main__": {"cli"},
}

MAX_LINES = 400
MAX_FLOW_LINES = 69  # one screen: the page's way must be seen at a glance


def shown(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def part_of(path: Path) -> str:
    """The part of weft that a file belongs to: `frontier` for frontier/host.py, `weft` for the package's own file."""
    if (names := path.relative_to(SOURCE).with_suffix("").parts) == ("__init__",):
        return "weft"
    return part_named(names)


def part_named(names: Sequence[str]) -> str:
    """The part with the longest name that these begin with."""
    return below if (below := ".".join(names[:2])) in ALLOWED else names[0]


@cache
def modules_imported_by(source: str) -> set[str]:
    """Every module that the source imports, wherever the import stands: in functions and for types only, too."""
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            assert node.module is not None
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


def parts_imported_by(source: str) -> set[str]:
    """The parts of weft among them; `from weft import X` counts as a part named X."""
    names = (module.split(".") for module in modules_imported_by(source))
    return {part_named(parts[1:]) if len(parts) > 1 else "weft" for parts in names if parts[0] == "weft"}


def test_imports_point_one_way() -> None:
    assert {part_of(path) for path in FILES} <= ALLOWED.keys(), "a new part needs its place in the order"
    wrong = {shown(path): parts_imported_by(path.read_text()) - _allowed(part_of(path)) for path in FILES}
    assert {path: parts for path, parts in wrong.items() if parts} == {}


def _allowed(part: str) -> set[str]:
    return ALLOWED[part] | {part}


def test_a_file_is_short_enough_to_be_read_at_once() -> None:
    lines = {shown(path): len(path.read_text().splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > MAX_LINES} == {}


def test_nats_is_known_to_the_cluster_alone() -> None:
    knowing = {
        path for path in FILES if any(name.split(".")[0] == "nats" for name in modules_imported_by(path.read_text()))
    }
    assert {shown(path) for path in knowing if part_of(path) != "cluster"} <= {
        "cli/cluster_commands.py",
        "dashboard/cluster.py",
    }


def test_the_life_of_a_page_is_seen_at_a_glance() -> None:
    assert len((SOURCE / "flow.py").read_text().splitlines()) <= MAX_FLOW_LINES


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("import weft.store.warc", {"store"}),
        ("from weft.store import Archive", {"store"}),
        ("from weft.store.archive import Archive", {"store"}),
        ("from weft import store, errors", {"store", "errors"}),
        ("from weft.mirror.site.rows import Rows", {"mirror.site"}),
        ("from weft.mirror.paths import Paths", {"mirror"}),
        ("import weft", {"weft"}),
        ("import weftish, os.path", set()),
        ("def f():\n    from weft.dns import Resolver", {"dns"}),
        ("if TYPE_CHECKING:\n    from weft.dns import Resolver", {"dns"}),
    ],
)
def test_an_import_is_noticed_wherever_and_however_it_is_written(source: str, parts: set[str]) -> None:
    assert parts_imported_by(source) == parts


def test_all_files_are_looked_at() -> None:
    assert {"flow", "pipeline", "frontier", "store", "cli", "simweb", "weft"} <= {part_of(path) for path in FILES}
