"""What the commands that crawl all of a bench have around their work: a scratch folder, and an end in one sentence."""

from __future__ import annotations

import compileall
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.server import ServerError
from bench.tools import PROJECT


@contextmanager
def bench_scratch(name: str, *, is_kept: bool) -> Iterator[Path]:
    """A folder for the work of a command; what is missing for this work is said in one sentence."""
    # An end by SIGTERM should also end nginx and remove the scratch folder.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    # As an installation does: without bytecode each start would compile weft again, and only weft.
    compileall.compile_dir(PROJECT / "src", quiet=2)
    scratch = Path(tempfile.mkdtemp(prefix=f"weft-{name}-"))
    try:
        yield scratch
    except ServerError as error:
        sys.exit(f"bench: {error}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    finally:
        if is_kept:
            print(f"kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
