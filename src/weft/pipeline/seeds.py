"""Seeds as a user gives them: any spelling, perhaps with a login."""

from __future__ import annotations

import msgspec

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.url import origin_of, split_login


def with_seeds_logins(config: CrawlConfig) -> CrawlConfig:
    """The same with canonical seeds: logins that stand in them become settings, each for its scheme, host and port."""
    seeds = [split_login(seed) for seed in texts(config.seeds)]
    logins = {origin_of(url): login for url, login in seeds if login}
    auth = tuple({**dict(config.auth), **logins}.items()) if logins else config.auth
    return msgspec.structs.replace(config, seeds=tuple(url for url, _ in seeds), auth=auth)


def texts(urls: tuple[str, ...]) -> tuple[str, ...]:
    """The same; BadInput where a program gave something else, as a list of URLs for one."""
    for url in urls:
        if not isinstance(url, str):
            raise BadInput(f"a URL must be a text, not {url!r}")
    return urls
