"""Seeds as a user gives them: any spelling, perhaps with a login; and the page where to log in."""

from __future__ import annotations

import msgspec

from weft.config import CrawlConfig
from weft.errors import BadInput, BadUrl
from weft.url import canonicalize, origin_of, scheme_of, split_login


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


def checked_login(config: CrawlConfig) -> CrawlConfig:
    """The settings with the login's URL as weft writes it; BadInput if there cannot be such a login."""
    if not config.login:
        if config.login_fields:
            raise BadInput("what is to be filled in where? --login URL names the login page")
        return config
    try:
        url = canonicalize(config.login)
    except BadUrl as error:
        raise BadInput(f"the login page {config.login!r} is no URL: {error}") from error
    if not scheme_of(url).is_web:
        raise BadInput(f"the login page {url} is none of http or https")
    if not config.login_fields:
        raise BadInput("a login needs to know what to fill in: --login-field NAME=VALUE, once for each field")
    return msgspec.structs.replace(config, login=url)
