"""Parts in C under AddressSanitizer and UndefinedBehaviorSanitizer.

A part is compiled with the sanitizers into a folder of its own, and used by a process that has nothing else to do.
Every text has a block of memory of its own length there, so that a read beyond it is seen.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).parents[1]
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
FLAGS = (*WARNINGS, "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover")


def has_sanitizers() -> bool:
    """Whether there is a compiler, and the library that it needs for this."""
    return shutil.which("gcc") is not None and Path(_libasan()).is_absolute()


def run_sanitized(source: str, module: str, pages: int, seed: int) -> str:
    """Build a part and run `python -m module --library BUILT` with it, for so many pages; gives what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "part.so"
        command = ["gcc", *FLAGS, "-fPIC", "-shared", f"-I{sysconfig.get_path('include')}"]
        subprocess.run([*command, str(ROOT / source), "-o", str(library)], check=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": _libasan(),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python's own, at its end
            "PYTHONMALLOC": "malloc",  # each string in a block of its own
            "WEFT_NO_SCANNER": "",  # whoever tries the rest without parts in C tries this one
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
        }
        words = ("--library", str(library), "--pages", str(pages), "--seed", str(seed))
        command = [sys.executable, "-m", module, *words]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        return done.stdout


def command_line(
    description: str | None, run: Callable[[int, int], str], run_inside: Callable[[Path, int, int], str]
) -> None:
    """`run` so many pages by a seed, as asked for; with `--library`, `run_inside`, which the sanitizers watch."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.library:
        print(run_inside(arguments.library, arguments.pages, arguments.seed))
    else:
        print(run(arguments.pages, arguments.seed), end="")


def load(name: str, library: Path) -> None:
    """Put a part in the place of the one that is installed, before anything asks for it."""
    loader = ExtensionFileLoader(name, str(library))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)


def _libasan() -> str:
    found = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    return found.stdout.strip()
