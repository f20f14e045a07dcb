"""report.json: the figures of a crawl, written while it runs and at its end. A reader never sees half of it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.errors import told_when_full
from weft.live.status import State, Status

NAME = "report.json"
MOST_BYTES = 4 << 20  # a file that is larger is none of ours

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Status).decode


def write_status(folder: Path, status: Status) -> None:
    """Replace the file; it need not survive a power cut."""
    temporary = folder / f".{NAME}.part"
    with told_when_full(str(folder)):
        try:
            temporary.write_bytes(msgspec.json.format(_encode(status), indent=2) + b"\n")
            temporary.replace(folder / NAME)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise


def load_status(folder: Path) -> Status | None:
    """What the file says, whoever wrote it; None when there is none, or it is of another version of weft."""
    path = folder / NAME
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        return _decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def as_it_is(status: Status, *, is_worked_on: bool) -> Status:
    """The status of a crawl whose process is gone, or that has just been resumed, says so."""
    has_ended = status.state is State.ENDED
    if is_worked_on is not has_ended:
        return status
    return msgspec.structs.replace(status, state=State.STARTING if is_worked_on else State.KILLED)
