"""The synthetic web as a pure function: from a URL to what a server does about it."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from msgspec.structs import replace

from weft.simweb.behaviour import Behaviour, Broken, CountedBy, Delayed, Fault, Fixed, Stream, TlsFault
from weft.simweb.chance import Dice
from weft.simweb.doors import make_doors
from weft.simweb.graph import Graph
from weft.simweb.hosts import Host, address_number, make_hosts
from weft.simweb.pages import Pages
from weft.simweb.places import DoorTo, Hop, Loop, Private, Resource, Robots, RobotsHop, SimPage, WebPlace
from weft.simweb.robotstxt import REDIRECTS, RobotsAnswer, RobotsTxt, answer_robots, plain_rules, redirect_robots
from weft.simweb.spec import WebSpec
from weft.simweb.topical import TopicalLinks, TopicalTruth
from weft.simweb.traits import Traits
from weft.simweb.truth import Truth, walk

ANY_PATH = "*"

_NOT_FOUND = Fixed(b"<!DOCTYPE html><title>404</title><p>Nothing is here.\n", 404)
_NOT_FOUND_AND_CLOSE = Fixed(_NOT_FOUND.body, 404, keep_alive=False)
_HTTP_PORT = 80
_HTTPS_PORT = 443


class SimWeb:
    """A web of any size that takes no more memory than its hosts.

    `custom` adds what a test needs, by (host name, path with query), on http and https alike; the path `*`
    stands for all of a host's other paths. It comes before the model's own pages. `tls_faults` breaks the
    TLS of hosts, by name. Absolute links and the truth hold ports, so a web belongs to some: a server takes
    `web.at(its ports)`.
    """

    def __init__(
        self,
        spec: WebSpec,
        custom: Mapping[tuple[str, str], Behaviour] | None = None,
        port: int = _HTTP_PORT,
        *,
        https_port: int = _HTTPS_PORT,
        tls_faults: Mapping[str, TlsFault] | None = None,
    ) -> None:
        self.spec = spec
        self.port = port
        self.https_port = https_port
        self._dice = Dice(spec.seed)
        self.hosts = make_hosts(spec, self._dice)
        self.doors = make_doors(self.hosts)
        self.custom = dict(custom or {})
        self.tls_faults = {host.name: host.tls_fault for host in self.hosts if host.tls_fault} | dict(tls_faults or {})
        traits = Traits(spec, self._dice)
        self._topic = TopicalLinks(spec, self._dice, self.hosts) if spec.relevant_share else None
        self._graph = Graph(spec, self._dice, self.hosts, self.doors, traits, self._topic)
        self._by_name = {host.name: host for host in self.hosts}
        self._doors_by_origin = {(door.name, door.tls): door for door in self.doors}
        self._bare_names = {host.bare_name: host for host in self.hosts if host.bare_name}
        known = self._by_name.keys() | self._bare_names.keys()
        custom_names = dict.fromkeys(
            name for name in [*(name for name, _ in self.custom), *self.tls_faults] if name not in known
        )
        self._custom_hosts = {name: len(self.hosts) + number for number, name in enumerate(custom_names)}
        self._pages = Pages(spec, self._dice, self._graph, traits, self._topic)
        self.text = self._pages.text
        self._origins = self._name_origins()

    def at(self, port: int, https_port: int = _HTTPS_PORT) -> SimWeb:
        """The same web, served at other ports."""
        moved = copy.copy(self)
        moved.port = port
        moved.https_port = https_port
        moved._origins = moved._name_origins()
        return moved

    @property
    def needs_tls(self) -> bool:
        """Whether there is anything that only https gives."""
        return bool(self.doors or self.tls_faults)

    def addresses(self) -> list[str]:
        """The loopback addresses that a server of this web listens at, those of IPv6 left out."""
        return [address_number(number, self.spec.addresses) for number in range(self.spec.addresses)]

    def address_of(self, name: str) -> str | None:
        """An address at which a host answers, or None if there is no such host."""
        if host := self._by_name.get(name) or self._bare_names.get(name):
            return host.address
        number = self._custom_hosts.get(name)
        return None if number is None else address_number(number, self.spec.addresses)

    def dns_addresses_of(self, name: str) -> tuple[str, ...]:
        """What DNS says of a name, of both families; some refuse connections. Nothing if there is no such host."""
        if host := self._by_name.get(name) or self._bare_names.get(name):
            return host.dns_addresses
        address = self.address_of(name)
        return () if address is None else (address,)

    def url(self, host: str, path: str, scheme: str = "") -> str:
        """The canonical URL of a path on a host: with the scheme that the host has, if none is given."""
        if not scheme:
            known = self._by_name.get(host)
            scheme = "https" if (known.tls if known else host in self.tls_faults) else "http"
        port, usual = (self.https_port, _HTTPS_PORT) if scheme == "https" else (self.port, _HTTP_PORT)
        return f"{scheme}://{host}{path}" if port == usual else f"{scheme}://{host}:{port}{path}"

    def seeds(self) -> list[str]:
        """Where a crawl starts."""
        return [self._url_of(place) for place in self._graph.seed_places()]

    def truth(self, max_depth: int | None = None, *, obeys_rel_nofollow: bool = False) -> Truth:
        """What a perfect crawl from the seeds finds. Custom URLs and `tls_faults` given by hand are not part of it."""
        found = walk(
            self._graph,
            self._graph.seed_places(),
            max_depth,
            self._failing_attempts,
            obeys_rel_nofollow=obeys_rel_nofollow,
        )
        url_of = self._url_of
        limited = self.spec.rate_limited_requests
        delaying = [host.name for host in self.hosts if host.robots is RobotsTxt.CRAWL_DELAY]
        return Truth(
            fetchable=frozenset(map(url_of, found.status)),
            forbidden=frozenset(map(url_of, found.forbidden)),
            status={url_of(place): code for place, code in found.status.items()},
            depth={url_of(place): depth for place, depth in found.depths.items()},
            failing_attempts={url_of(place): attempts for place, attempts in found.failing_attempts.items()},
            noindex=frozenset(map(url_of, found.noindex)),
            rate_limited={host.name: limited for host in self.hosts if host.rate_limited},
            crawl_delay_s=dict.fromkeys(delaying, self.spec.crawl_delay_s),
        )

    def topical_truth(self) -> TopicalTruth:
        """What a web with a topic is made of, of every page of it."""
        topic = self._topic
        assert topic, "the spec says nothing of a topic"
        pages = range(self.spec.pages)
        targets = [topic.targets(page) for page in pages]
        return TopicalTruth(
            urls=[self._url_of(self._graph.page_place(page)) for page in pages],
            targets=targets,
            misleading=[[topic.misleads(page, number) for number in range(len(targets[page]))] for page in pages],
            relevant=frozenset(filter(topic.is_relevant, pages)),
            hubs=frozenset(filter(topic.is_hub, pages)),
            seeds=topic.seeds(),
        )

    def answer(self, name: str, path: str, *, tls: bool = False) -> Behaviour:
        """What a server does when asked for a path on a host, over TLS or not."""
        if self.custom and (custom := self.custom.get((name, path)) or self.custom.get((name, ANY_PATH))):
            return custom
        host = self._by_name.get(name)
        if host is None or host.tls is not tls:
            return self._answer_at_door(name, path, tls)
        answer = self._answer_of_host(host, path)
        if host.has_odd_framing:
            answer = _with_framing_of(host, answer)
        return Delayed(host.latency_s, answer) if host.latency_s else answer

    def _answer_at_door(self, name: str, path: str, tls: bool) -> Fixed:
        door = self._doors_by_origin.get((name, tls))
        if door is None:
            return _NOT_FOUND
        status, place = self._graph.redirect_from_door(DoorTo(door.host), path)
        return _moved(self.hosts[door.host], status, self._url_of(place))

    def _answer_of_host(self, host: Host, path: str) -> RobotsAnswer:
        found = self._graph.find((host.index, path))
        match found:
            case SimPage() if not host.rate_limited:
                return self._pages.page(host, path, found.number, self._origins)
            case Robots() if host.robots is not RobotsTxt.MISSING:
                return self._robots(host)
            case RobotsHop():
                place = self._graph.redirect_robots(found)
                return redirect_robots(self._url_of(place)) if place else plain_rules()
        answer = self._answer_of_resource(host, path, found)
        return self._limited(host, answer) if host.rate_limited and not isinstance(found, Robots) else answer

    def _answer_of_resource(self, host: Host, path: str, found: Resource) -> Fixed:
        match found:
            case SimPage():
                return self._pages.whole_page(host, path, found.number, self._origins)
            case Hop():
                status, place = self._graph.redirect(found)
                return _moved(host, status, self._location(host, place, found.page))
            case Loop():
                status, place = self._graph.redirect_round(found)
                return _moved(host, status, self._location(host, place, found.page))
            case Private():
                hrefs = [place[1] for place in self._graph.private_links(host.index, found)]
                return self._pages.private_page(host, hrefs)
            case _:
                return _NOT_FOUND if host.keep_alive else _NOT_FOUND_AND_CLOSE

    def _robots(self, host: Host) -> RobotsAnswer:
        place = self._graph.redirect_robots(RobotsHop(host.index, REDIRECTS))
        assert place
        answer = answer_robots(host.robots, self.spec, self._url_of(place))
        return answer if host.keep_alive else _without_keep_alive(answer)

    def _location(self, host: Host, place: WebPlace, page: int) -> str:
        """Where a redirect leads, as its header has it: half of those within a host only name the path."""
        return place[1] if place[0] == host.index and page % 2 else self._url_of(place)

    def _limited(self, host: Host, then: Fixed) -> Broken:
        """A refusal of the first requests to the host, whatever they are for."""
        return Broken(
            Fault.STATUS_429,
            then,
            attempts=self.spec.rate_limited_requests,
            counted_by=CountedBy.HOST,
            retry_after_s=self.spec.retry_after_s,
            retry_after_as_date=bool(host.index % 2),
        )

    def _failing_attempts(self, page: int) -> int:
        return self.spec.failing_attempts if self._pages.fault(self._graph.host_of(page), page) else 0

    def _name_origins(self) -> list[str]:
        of_doors = [self.url(door.name, "", "https" if door.tls else "http") for door in self.doors]
        return [self.url(host.name, "") for host in self.hosts] + of_doors

    def _url_of(self, place: WebPlace) -> str:
        return self._origins[place[0]] + place[1]


def _moved(host: Host, status: int, location: str) -> Fixed:
    return Fixed(
        b"<!DOCTYPE html><title>Moved</title>\n",
        status,
        headers=(("Location", location),),
        keep_alive=host.keep_alive,
    )


def _with_framing_of(host: Host, answer: RobotsAnswer) -> RobotsAnswer:
    """The same, in the way that the host speaks HTTP."""
    match answer:
        case Fixed():
            return replace(answer, framing=host.framing, http10=host.http10)
        case Broken():
            return replace(answer, then=replace(answer.then, framing=host.framing, http10=host.http10))
        case Stream():
            return answer  # without end, it has no framing that could be another


def _without_keep_alive(answer: RobotsAnswer) -> RobotsAnswer:
    match answer:
        case Fixed():
            return replace(answer, keep_alive=False)
        case Broken():
            return replace(answer, then=replace(answer.then, keep_alive=False))
        case Stream():
            return answer
