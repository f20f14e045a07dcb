"""What is asked of the C library's allocator."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# A block is freed, so that glibc would take the next ones from among what is small; another is asked for.
PROGRAM = """
import ctypes
from weft.workers.malloc import MIB, return_blocks

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keep")]

def mapped_bytes():
    libc.mallinfo2.restype = Info
    return libc.mallinfo2().hblkhd

if {asks}:
    return_blocks()
libc.free(libc.malloc(MIB))
before = mapped_bytes()
libc.malloc(MIB)
print(mapped_bytes() - before >= MIB)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that does this")
@pytest.mark.parametrize("asks", [True, False])
def test_a_block_of_the_database_comes_from_the_system_also_after_others_were_freed(asks: bool) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(asks=asks)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(asks)
