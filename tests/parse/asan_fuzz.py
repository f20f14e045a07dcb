"""The scanner under AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tests.parse.asan_fuzz [--pages 20000] [--seed 1]

Compiles `_scan.c` with the sanitizers into a folder of its own, and reads pages made by chance with it. Every text has
a block of memory of its own length, so that a read beyond it is seen. Prints what it did; fails at the first error.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

from tests.parse.scan_markup import ATTRIBUTES, PIECES, TAGS, VALUES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "weft" / "parse" / "_scan.c"
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
FLAGS = (*WARNINGS, "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover")
URL = "http://example.org/dir/page.html?p"


def has_sanitizers() -> bool:
    """Whether there is a compiler, and the library that it needs for this."""
    return shutil.which("gcc") is not None and Path(_libasan()).is_absolute()


def run(pages: int, seed: int) -> str:
    """Build the scanner and read so many pages with it, in a process of its own. What it printed."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "_scan.so"
        include = sysconfig.get_path("include")
        subprocess.run(["gcc", *FLAGS, "-fPIC", "-shared", f"-I{include}", str(SOURCE), "-o", str(library)], check=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": _libasan(),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python's own, at its end
            "PYTHONMALLOC": "malloc",  # each string in a block of its own
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
        }
        command = [sys.executable, "-m", __name__ if __name__ != "__main__" else "tests.parse.asan_fuzz"]
        command += ["--library", str(library), "--pages", str(pages), "--seed", str(seed)]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        return done.stdout


def read_pages(library: Path, pages: int, seed: int) -> str:
    """Read pages with the scanner in `library`."""
    _load(library)
    from weft.parse import parse_html
    from weft.parse.scan import scan_page

    chance = random.Random(seed)
    scanned = 0
    for _ in range(pages):
        markup = _markup(chance)
        cut = markup[: chance.randrange(len(markup) + 1)]
        for text in (markup, cut):
            embeds = chance.random() < 0.5
            scanned += scan_page(text, embeds) is not None
            parse_html(text.encode(), URL, "text/html; charset=utf-8", embeds=embeds)
    return f"{2 * pages} pages, {scanned} of them without a tree: no error"


def _markup(chance: random.Random) -> str:
    tags = chance.sample(TAGS, chance.randint(2, 8)) if chance.random() < 0.5 else TAGS
    pieces = []
    for _ in range(chance.randint(1, 25)):
        kind = chance.random()
        if kind < 0.5:
            attributes = "".join(
                f" {chance.choice(ATTRIBUTES)}{quote}{chance.choice(VALUES)}{quote}"
                for quote in chance.choices(("", '"', "'"), k=chance.randint(0, 3))
            )
            pieces.append(f"<{chance.choice(tags)}{attributes}{chance.choice(('>', '>', '/>', ''))}")
        elif kind < 0.75:
            pieces.append(f"</{chance.choice(tags)}{chance.choice(('>', '>', ''))}")
        else:
            pieces.append(chance.choice(PIECES))
    return "".join(pieces)


def _load(library: Path) -> None:
    """Put the scanner in the place of the one that is installed, before anything asks for it."""
    name = "weft.parse._scan"
    loader = ExtensionFileLoader(name, str(library))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    from weft.parse.scan import has_scanner

    assert has_scanner()
    assert sys.modules[name] is module


def _libasan() -> str:
    found = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def main() -> None:
    """Run from the command line; with `--library`, in the process that has the sanitizers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.library:
        print(read_pages(arguments.library, arguments.pages, arguments.seed))
    else:
        print(run(arguments.pages, arguments.seed), end="")


if __name__ == "__main__":
    main()
