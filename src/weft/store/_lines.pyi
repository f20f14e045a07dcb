from collections.abc import Callable

def lines(
    row: bytes, file_name: Callable[[int], str], key_of_origin: Callable[[str], str], /
) -> tuple[bytes | None, bytes] | None: ...
