from _hashlib import HASH
from collections.abc import Callable

def has_sha1() -> bool: ...
def record(
    fields: str, head: bytes, body: bytes, tail: str, digests: int, sha1: Callable[[bytes], HASH] | None, /
) -> tuple[bytes, str]: ...
