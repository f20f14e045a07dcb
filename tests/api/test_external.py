from __future__ import annotations

from typing import Any

import msgspec

from weft.api.external import config_for
from weft.config import CrawlConfig, HostTable
from weft.pipeline.config_parts import manners_of

OWN, STRANGER, NAMED = "site.test", "other.test", "slow.test"


def test_other_sites_are_asked_with_the_usual_delay_however_short_ones_own_is() -> None:
    own = CrawlConfig(seeds=(f"http://{OWN}/",), delay_s=0.0, connections_per_host=16, retry_wait_scale=0.0)
    for hosts in ((), (HostTable(pattern="*", delay_s=0.0, connections_per_host=8),)):
        config = config_for(msgspec.structs.replace(own, hosts=hosts), [f"http://{STRANGER}/"])
        manners = manners_of(config)
        assert (manners.delay_of(STRANGER), manners.connections_of(STRANGER)) == (1.0, 1)
        assert manners.address_interval_of(STRANGER) == manners_of(CrawlConfig()).address_interval_of(STRANGER)
        assert config.retry_wait_scale == 1.0


def test_a_longer_delay_and_what_is_said_of_a_host_by_its_name_hold_for_other_sites_too() -> None:
    said: dict[str, Any]
    tables = (HostTable(pattern="*", delay_s=3.0), HostTable(pattern=NAMED, delay_s=0.5))
    for said in ({"delay_s": 3.0, "hosts": tables[1:]}, {"hosts": tables}):
        manners = manners_of(config_for(CrawlConfig(**said), [f"http://{STRANGER}/"]))
        assert (manners.delay_of(STRANGER), manners.delay_of(NAMED)) == (3.0, 0.5)
