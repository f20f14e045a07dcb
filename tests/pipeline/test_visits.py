from __future__ import annotations

from weft.pipeline.visits import first_byte_s
from weft.types import Fetched, Timing


def test_a_long_file_is_no_slow_answer() -> None:
    """The host rests for what it let us wait, not for the ten minutes that its file took."""
    timing = Timing(connect_s=0.5, wait_s=1.5, receive_s=600.0)
    fetched = Fetched("http://a.example/", "192.0.2.1", 0.0, b"", 200, b"", (), b"", None, 0, False, None, timing)
    assert first_byte_s(fetched) == 2.0
