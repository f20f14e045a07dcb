"""A login by a form, before the first visit of a run: its cookies then open the pages behind it.

    login page ──▶ its form, filled in ──POST──▶ where it leads ──▶ no login form any more: the cookies are kept

A password goes to the host that the user named, and to nobody else: not where that page redirects, nor where its form
leads. What comes on the way is archived beside the pages, without the password. That it succeeded is written down
together with its cookies, so a crawl that goes on does not log in again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import msgspec

from weft.config import CrawlConfig
from weft.errors import BadInput, GetFailed
from weft.page.large_pages import MAX_TREE_BYTES
from weft.pipeline.answers import REPEATS, is_same_place
from weft.pipeline.config_parts import manners_of
from weft.pipeline.context import Context
from weft.pipeline.cookie_rows import CookieRows
from weft.pipeline.halts import Halt
from weft.pipeline.ledger import Ledger
from weft.pipeline.network import Network
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.single_page import Guest, page_of, redirect_in
from weft.pipeline.work import Work, side_job
from weft.types import Fetched, RequestParts
from weft.url import host_of

if TYPE_CHECKING:
    from weft.page.page import Page
    from weft.page.request import Request

LOGIN: Final = b"login"  # in `meta`: hash of the login that succeeded
MAX_STEPS: Final = 10  # redirects, before or behind the form
PERMISSION_PAUSE_S: Final = 0.1
BAD_STATUS: Final = 400
SURELY_NO_WORD: Final = 8  # characters of a password that is in no URL by chance


class LoginFailed(BadInput):
    """Nobody was let in; the message says why, and what may help."""


class Login:
    """One for a run that has to log in. Nothing else is asked for until it has."""

    def __init__(
        self, context: Context, network: Network, ledger: Ledger, cookies: CookieRows, workers: ParseWorkers[Work]
    ) -> None:
        self._config = config = context.config
        self._fields = dict(config.login_fields)
        self._counters = context.counters
        self._loop = context.loop
        self._fetcher = network.fetcher
        self._ledger = ledger
        self._cookies = cookies
        self._workers = workers
        self._manners = manners_of(config)
        self._guest = Guest(config, context.clock, network.fetcher, network.resolver, self._keep, self._rest)
        self._asked: set[str] = set()  # hosts; bound: the steps of a login
        self._is_in = context.state.get("meta", LOGIN) == _digest(config) and cookies.has_some_for(
            host_of(config.login)
        )

    def halt(self) -> Halt | None:
        return None if self._is_in else Halt.LOGIN

    def may_end(self) -> bool:
        return self._is_in

    async def run(self) -> None:
        """Log in, unless an earlier run has. LoginFailed ends the crawl."""
        if self._is_in:
            return
        # A node of a cluster may not ask for anything yet; nobody tells when it may.
        while self._fetcher.may_send is not None and not self._fetcher.may_send():  # noqa: ASYNC110
            await asyncio.sleep(PERMISSION_PAUSE_S)
        try:
            await self._log_in(self._config.login)
            await self._rest(self._config.login)  # the crawl may ask at once
        except GetFailed as error:
            raise LoginFailed(f"the login failed: {error}") from error
        batch = self._ledger.batch()
        batch.put("meta", LOGIN, _digest(self._config))
        self._cookies.seal(batch)
        self._ledger.write(batch)
        self._is_in = True
        self._loop.pump_soon()

    async def _log_in(self, url: str) -> None:
        page = await self._arrive(url, None)
        if not is_same_place(url, page.url):
            raise LoginFailed(f"the login page {url} leads to {page.url}: if you mean that one, name it")
        if page.status >= BAD_STATUS:
            raise LoginFailed(f"the login page {url} cannot be had: status {page.status}")
        request = filled_form(page, self._fields)
        answer = await self._arrive(request.url, request.parts, _passwords(page, self._fields))
        if answer.status >= BAD_STATUS:
            raise LoginFailed(f"the login at {url} failed: status {answer.status}")
        if _asks_for_login(answer, self._fields):
            raise LoginFailed(f"the login at {url} failed: its form comes again; are all --login-field values right?")

    async def _arrive(self, url: str, parts: RequestParts | None, passwords: frozenset[str] = frozenset()) -> Page:
        """Ask for a URL, and follow where that leads; not to a URL that has a password in it."""
        for _ in range(MAX_STEPS + 1):
            fetched = await self._guest.ask(url, parts, MAX_TREE_BYTES)
            target = redirect_in(url, fetched)
            if target is None:
                page = page_of(fetched)
                if len(page.body) > MAX_TREE_BYTES or fetched.truncated == "length":  # read while its file is there
                    raise LoginFailed(f"the answer of {url} is too long for a login: over {MAX_TREE_BYTES:,} bytes")
                self._workers.submit(side_job(fetched, parts))
                return page
            if _has_one_of(passwords, target):  # nor is that answer archived, for its Location has it
                raise LoginFailed(f"the answer of {url} would put the password into a URL, so it is not followed")
            self._workers.submit(side_job(fetched, parts))
            parts = parts if fetched.status in REPEATS else None
            if parts is not None and not is_same_place(url, target):
                raise LoginFailed(f"{url} sends the login on to {target}: a password stays with its host, on https")
            url = target
        raise LoginFailed(f"the login leads from one URL to the next, at last to {url}")

    async def _keep(self, fetched: Fetched) -> None:
        """A request has ended: it counts."""
        self._counters.count_response(fetched.status, len(fetched.head) + fetched.body_bytes)

    async def _rest(self, url: str) -> None:
        """A host that was asked before is left alone first, as long as its robots.txt wants."""
        host, asked_s = host_of(url), self._guest.asked_delay_s(url)
        if host not in self._asked:
            self._asked.add(host)
            return
        if asked_s > self._config.max_host_wait_s:
            raise LoginFailed(
                f"the robots.txt of {host} wants {asked_s:,.0f} s between requests: --max-host-wait is less"
            )
        await asyncio.sleep(max(self._manners.delay_of(host), asked_s))


def filled_form(page: Page, fields: Mapping[str, str]) -> Request:
    """The login form of a page with these fields; LoginFailed if a password must not be sent by it."""
    number = _form_number(page, fields)
    if number is None:
        raise LoginFailed(f"{page.url} has no form with a password: is it the login page?")
    try:
        request = page.submit(fields, form=number)
    except BadInput as error:
        raise LoginFailed(f"the form of {page.url} cannot be filled in: {error}") from error
    if request.method != "POST":
        raise LoginFailed(f"the form of {page.url} would put the password into a URL, so it is not sent")
    if not is_same_place(page.url, request.url):
        raise LoginFailed(
            f"the form of {page.url} leads to {request.url}: a password stays with its host, and on https"
        )
    if request.parts is None or not request.parts.is_secret:
        raise LoginFailed(f"no password was given for the form of {page.url}: --login-field NAME=VALUE does")
    return request


def _digest(config: CrawlConfig) -> bytes:
    return sha256(msgspec.json.encode((config.login, config.login_fields))).digest()


def _form_number(page: Page, fields: Mapping[str, str]) -> int | None:
    """The form with a password: the first that has the fields, or the first at all."""
    from weft.page.forms import forms_of

    with_password = {
        number: form
        for number, form in enumerate(forms_of(page.document))
        if any(control.kind == "password" for control in form.controls)
    }
    fitting = (number for number, form in with_password.items() if fields.keys() <= set(form.fields))
    return next(fitting, next(iter(with_password), None))


def _passwords(page: Page, fields: Mapping[str, str]) -> frozenset[str]:
    """What is filled in as a password alone: a name that is its own password may stand in a URL."""
    from weft.page.forms import forms_of

    number = _form_number(page, fields)
    controls = forms_of(page.document)[number].controls if number is not None else ()
    names = {control.name for control in controls if control.kind == "password"}
    elsewhere = {value for name, value in fields.items() if name not in names}
    return frozenset(fields[name] for name in names & fields.keys()) - elsewhere - {""}


def _has_one_of(passwords: frozenset[str], url: str) -> bool:
    """Whether a value of its query is a password, or a long password is anywhere in it."""
    if not passwords:
        return False
    plain = unquote_plus(url)
    values = {value for _, value in parse_qsl(urlsplit(url).query, keep_blank_values=True)}
    return any(word in values or (len(word) >= SURELY_NO_WORD and word in plain) for word in passwords)


def _asks_for_login(page: Page, fields: Mapping[str, str]) -> bool:
    from weft.page.forms import forms_of

    return any(
        fields.keys() <= set(form.fields) and any(control.kind == "password" for control in form.controls)
        for form in forms_of(page.document)
    )
