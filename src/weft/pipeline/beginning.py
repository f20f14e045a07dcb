"""Before the first visit of a run: what a power cut took, what wider limits and rules ask for, and the seeds."""

from __future__ import annotations

from weft.crash_points import crash_point
from weft.pipeline.another_chance import retry_failed, visit_again
from weft.pipeline.buckets import adopt_suffixes
from weft.pipeline.context import Context
from weft.pipeline.doors import Owner
from weft.pipeline.ledger import Ledger
from weft.pipeline.limits import adopt_limits
from weft.pipeline.readmission import Readmission
from weft.pipeline.rules import adopt_rules
from weft.robots.by_host import RobotsByHost
from weft.store import Archive
from weft.types import FoundLink, Kind, Link
from weft.url import host_of, url_id


def bring_up_to_date(
    context: Context,
    owner: Owner,
    ledger: Ledger,
    archive: Archive,
    readmission: Readmission,
    *,
    update: bool,
    retries: bool,
) -> None:
    """Make queue and rows what the settings of this run want. With `update` a mirror asks for everything again."""
    config, state = context.config, context.state
    batch = ledger.batch()
    adopt_suffixes(state, batch)
    lost = archive.recover(batch)
    owner.lost(lost)
    visit_again(ledger, batch, lost)
    crash_point("recovered")
    ledger.write(batch)
    adopt_limits(ledger, state, config.depth, config.max_pages_per_host)
    adopt_rules(ledger, state, config, update=update)
    if update:
        readmission.ask_for_robots()
    budget = None if update else config.max_pages_per_host  # an update counts again
    readmission.adopt_robots(context.clock.wall(), RobotsByHost(config), budget)
    if config.mirror:
        ledger.begin_update(wanted=update)
    if retries:
        retry_failed(ledger, state)
    batch = ledger.batch()
    ledger.schedule(
        batch,
        [
            FoundLink(url_id(seed), host_of(seed), Link(seed, 0, Kind.SEED, seed=number))
            for number, seed in enumerate(config.seeds)
        ],
    )
    ledger.write(batch)
    state.sync()  # before a record takes the place of one that was cut off: the old row might fit it
