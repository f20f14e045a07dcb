"""Which pages a disk shows less of than a server."""

from __future__ import annotations

import pytest

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
    ],
)  # fmt: skip
def test_a_page_is_filled_by_scripts_or_not(html: bytes, why: ByScripts | None) -> None:
    assert needs_scripts(html) is why
