"""Which pages a disk shows less of than a server."""

from __future__ import annotations

import pytest

from tests.cpu_time import least_cpu_s
from weft.mirror.by_scripts import ByScripts, needs_scripts


@pytest.mark.parametrize(
    ("html", "why"),
    [
        (b"<title>App</title><div id=app></div><script src=a.js></script>", ByScripts.SCRIPTS),
        (b"<noscript>" + b"You need to enable scripts. " * 20 + b"</noscript><div></div><script src=a.js></script>",
         ByScripts.SCRIPTS),
        (b"<p>Words enough. " * 30 + b"<script type=module src=a.js></script>", ByScripts.MODULES),
        (b"<p>Words enough. " * 30 + b"<script src=module.js></script>", None),
        (b"<p>Short.", None),
        (b"<script>" + b"x" * 300_000 + b"</script>", None),
        (b"<script" + b"<a" * 100_000, ByScripts.SCRIPTS),
        (b"<script src=a.js></script><div " + b"x" * 300, ByScripts.SCRIPTS),  # no tag is shown, whole or not
        (b"<script src=a.js></script>1 < 2 " + b"x" * 300, None),
    ],
)  # fmt: skip
def test_a_page_is_filled_by_scripts_or_not(html: bytes, why: ByScripts | None) -> None:
    assert needs_scripts(html) is why


def _cost_s(html: bytes) -> float:
    return least_cpu_s(lambda: needs_scripts(html))


@pytest.mark.parametrize("piece", [b"<", b"<p", b"< ", b"</", b"<!", b"<title ", b"</script ", b"<!--", b"&nbsp"])
def test_a_page_of_one_piece_again_and_again_takes_time_by_its_length(piece: bytes) -> None:
    few, many = (b"<script></script>" + piece * (size // len(piece)) for size in (10_000, 80_000))
    assert _cost_s(many) < 8 * 4 * max(_cost_s(few), 0.002)
