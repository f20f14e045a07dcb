"""What a process must have before it does anything."""

from __future__ import annotations

import os
import sys

from weft.errors import FolderError

COMPLETION_REQUEST = "_WEFT_COMPLETE"  # a shell that wants completions sets it and runs weft


def have_all_streams() -> None:
    """One that was closed (`2>&-`) leads nowhere: else a file of the crawl would get its number, and what is said."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere == descriptor:
                os.set_inheritable(descriptor, True)  # as the other way has it: workers are to have all streams, too
            else:
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))


def let_import_from_here() -> None:
    """A user's own filter lies where the user is."""
    try:
        sys.path.append(os.getcwd())
    except FileNotFoundError:
        raise FolderError("the folder in which weft was started is gone") from None
