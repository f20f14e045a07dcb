"""Sites without end, with the settings that everybody has: a crawl of them ends, and loses nothing beside them."""

from __future__ import annotations

from pathlib import Path

from weft.simweb.behaviour import Behaviour, Fixed, Trap, TrapKind

from .beside import GOOD_WEB, meet

TRAP = "trap.test"
# Ten pages that are all the same prove nothing, but that page after page gives its links a new id: eight of each.
MOST_PAGES = 400


def test_a_trap_of_lone_session_ids_ends_without_any_budget(tmp_path: Path) -> None:
    sites: dict[tuple[str, str], Behaviour] = {(TRAP, "/robots.txt"): Fixed(b""), (TRAP, "*"): Trap(TrapKind.SESSION)}
    met = meet(tmp_path / "crawl", sites, seeds=[(TRAP, "/")], good=GOOD_WEB, connections_per_host=4, workers=1)
    assert met.exit_code == 0
    asked = sum(request.host == TRAP for request in met.log)
    assert 10 < asked <= MOST_PAGES
    met.assert_neighbours_are_unharmed()
