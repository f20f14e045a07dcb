"""Which URLs exist and where each leads, computed from the seed whenever asked.

    home page ─▶ corridor ─▶ tree of pages      in every host, so that all its pages are reachable
    a page of an earlier host ─▶ home page      so that every host is reachable
    home page of a slow host ─▶ end of a corridor   a shortcut that a crawl finds late
    random links, dead links, links into /private/ and into redirects that go round in a circle

A page may be *entered* by redirects: the links that make it reachable then lead to `/go/<page>/<hops>`, and
from hop to hop to the page itself. So a crawler that loses a redirect loses the whole branch behind it. Some
links to a host that has doors lead through one of them, which is one more redirect.

A web with a topic has the links of `topical` instead, straight from page to page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

from weft.regex import regex
from weft.simweb import chance
from weft.simweb.chance import Dice
from weft.simweb.doors import Door
from weft.simweb.hosts import Host
from weft.simweb.places import DoorTo, Hop, Loop, Missing, Private, Resource, Robots, RobotsHop, SimPage, WebPlace
from weft.simweb.robotstxt import REDIRECTS, Permits, RobotsTxt, has_private_pages, permits
from weft.simweb.spec import WebSpec
from weft.simweb.topical import TopicalLinks
from weft.simweb.traits import Directive, Traits

_PAGE_NUMBER = regex(r"/p(\d{1,12})")
_HOP_NUMBERS = regex(r"/go/(\d{1,12})/(\d)")
_LOOP_NUMBERS = regex(r"/loop/(\d{1,12})/([01])")
_ROBOTS_HOP_NUMBERS = regex(r"/rules/(\d{1,12})/(\d)/robots\.txt")
_PRIVATE_NUMBER = regex(r"/private/(\d{1,3})\.html")
# Already in canonical form; one with an escape, since links may write it as the letter itself.
_FOLDERS = ("", "", "a/", "news/", "docs/api/", "img/2024/", "caf%C3%A9/", "~kim/notes/")
_ENDINGS = (".html", ".html", ".html", "/", "", "?view=full&part=2")
_PRIVATE_PAGES = 16
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_THROUGH_A_DOOR_OF = 8  # one of so many links


class Graph:
    """The URLs of one web and the links between them."""

    def __init__(
        self,
        spec: WebSpec,
        dice: Dice,
        hosts: tuple[Host, ...],
        doors: tuple[Door, ...],
        traits: Traits,
        topic: TopicalLinks | None = None,
    ) -> None:
        self._spec = spec
        self._dice = dice
        self._hosts = hosts
        self._doors = doors
        self._traits = traits
        self._topic = topic
        self._has_charsets = spec.charset_share > 0
        self._first_pages = [host.first_page for host in hosts]
        self._doors_to: defaultdict[int, list[int]] = defaultdict(list)
        for number, door in enumerate(doors):
            self._doors_to[door.host].append(len(hosts) + number)
        self._hand_laid = self._lay_links_between_hosts()

    # ── what is where ──

    def host_of(self, page: int) -> Host:
        """The host that a page is on."""
        return self._hosts[bisect_right(self._first_pages, page) - 1]

    def page_place(self, page: int) -> WebPlace:
        """Where a page is."""
        host = self.host_of(page)
        if page == host.first_page:
            return host.index, "/"
        draw = self._dice.draw(chance.PATH, page)
        folder = _FOLDERS[draw % len(_FOLDERS)]
        if self._has_charsets and (charset := self._traits.charset(page)):
            return host.index, f"/{folder}p{page - host.first_page}?word={charset.escaped_word}"
        ending = _ENDINGS[(draw >> 32) % len(_ENDINGS)]
        return host.index, f"/{folder}p{page - host.first_page}{ending}"

    def find(self, place: WebPlace) -> Resource:
        """What is at a place."""
        index, path = place
        if index >= len(self._hosts):
            return DoorTo(self._doors[index - len(self._hosts)].host)
        host = self._hosts[index]
        if path == "/":
            return SimPage(host.first_page)
        if match := _PAGE_NUMBER.search(path):
            local = int(match[1])
            page = host.first_page + local
            if local < host.page_count and self.page_place(page)[1] == path:
                return SimPage(page)
        elif match := _HOP_NUMBERS.fullmatch(path):
            hop = Hop(int(match[1]), int(match[2]))
            if hop.page < self._spec.pages and self._is_hop(hop) and self._hop_place(hop) == place:
                return hop
        elif path == "/robots.txt":
            return Robots()
        elif has_private_pages(host.robots) and (match := _PRIVATE_NUMBER.fullmatch(path)):
            return Private(int(match[1]))
        elif match := _LOOP_NUMBERS.fullmatch(path):
            page = int(match[1])
            if page < self._spec.pages and place in self._loop_places(page):
                return Loop(page, int(match[2]))
        elif match := _ROBOTS_HOP_NUMBERS.fullmatch(path):
            robots_hop = RobotsHop(int(match[1]), int(match[2]))
            if self._is_robots_hop(robots_hop) and self._robots_hop_place(robots_hop) == place:
                return robots_hop
        return Missing()

    def may_fetch(self, place: WebPlace) -> bool:
        """Whether the robots.txt that holds for a place lets a crawler ask for it.

        That of a door is that of the host behind it, as it redirects there. A host whose TLS is broken has
        none that could be had, and so forbids everything.
        """
        index, path = place
        host = self._hosts[index if index < len(self._hosts) else self._doors[index - len(self._hosts)].host]
        if host.tls_fault:
            return False
        match permits(host.robots):
            case Permits.EVERYTHING:
                return True
            case Permits.ALL_BUT_PRIVATE:
                return not path.startswith("/private/")
            case Permits.NOTHING:
                return False

    def seed_places(self) -> list[WebPlace]:
        """Where a crawl starts: the home page, or the door that a visitor would take."""
        if self._topic:
            return [self.page_place(page) for page in self._topic.seeds()]
        seeds = self._hosts[: self._spec.seed_hosts]
        return [(self._doors_to[host.index][0] if host.bare_name else host.index, "/") for host in seeds]

    # ── redirects ──

    def redirect(self, hop: Hop) -> tuple[int, WebPlace]:
        """The status of a redirect, and where it leads."""
        status = _REDIRECT_STATUSES[self._dice.draw(chance.REDIRECT_HOP, hop.page, hop.hops_left) % 5]
        if hop.hops_left == 1:
            return status, self.page_place(hop.page)
        return status, self._hop_place(Hop(hop.page, hop.hops_left - 1))

    def redirect_round(self, loop: Loop) -> tuple[int, WebPlace]:
        """The same for a redirect in a circle: to its only place, or to the other of two."""
        places = self._loop_places(loop.page)
        return _REDIRECT_STATUSES[loop.page % 5], places[(loop.step + 1) % len(places)]

    def redirect_from_door(self, door: DoorTo, path: str) -> tuple[int, WebPlace]:
        """The same for a door."""
        return (301, 308)[door.host % 2], (door.host, path)

    def redirect_robots(self, hop: RobotsHop) -> WebPlace | None:
        """Where the robots.txt of a host goes on to; None for the file itself."""
        return self._robots_hop_place(RobotsHop(hop.host, hop.hops_left - 1)) if hop.hops_left else None

    # ── links ──

    def links(self, page: int) -> list[WebPlace]:
        """Where a page links to, in the page's order. A place may occur more than once."""
        if self._topic:
            return [self.page_place(target) for target in self._topic.targets(page)]
        host = self.host_of(page)
        places = [self._entrance(host.first_page + child) for child in _children(host, page - host.first_page)]
        places += self._hand_laid.get(page, ())
        # A corridor would be none if its pages linked to what lies behind.
        if page - host.first_page >= host.corridor:
            places += [self._random_link(host, page, number) for number in range(self._spec.links_per_page)]
        places += self._dead_links(host, page)
        places += self._private_links(host, page)
        if self._spec.loop_share and self._loop_places(page):
            places.append(self._loop_places(page)[0])
        if not self._traits.all_plain and not self.is_followed(page):
            # A link that nobody else has, so that whoever follows it is found out.
            places.append((host.index, f"/gone/not-followed-{page}.html"))
        if self._doors:
            places = [self._perhaps_through_a_door(page, number, place) for number, place in enumerate(places)]
        return places

    def private_links(self, index: int, private: Private) -> list[WebPlace]:
        """Where a page below /private/ links to: on to the next, so that a crawler without manners goes far."""
        return [(index, _private_path(private.number + 1)), (index, "/")]

    def is_rel_nofollow(self, page: int, number: int) -> bool:
        """Whether the link with this number in `links` says rel=nofollow."""
        return self._dice.pick(self._spec.rel_nofollow_share, 1, chance.REL_NOFOLLOW, page, number) is not None

    def directive(self, page: int) -> Directive | None:
        """What the page asks of crawlers."""
        directive = self._traits.directive(page)
        return None if directive is None or self._carries_the_web(page) else directive

    def content_type(self, page: int) -> tuple[str, bool] | None:
        """A Content-Type that is not right, and whether the page is one all the same."""
        wrong = self._traits.content_type(page)
        if wrong is None or (self._carries_the_web(page) and not wrong.is_page):
            return None
        return wrong.value, wrong.is_page

    def is_followed(self, page: int) -> bool:
        """Whether a crawler may follow the page's links."""
        directive, content_type = self.directive(page), self.content_type(page)
        return not (directive and directive.nofollow) and (content_type is None or content_type[1])

    def _carries_the_web(self, page: int) -> bool:
        """Whether so much hangs on a page's links that a web without them would be hardly one."""
        host = self.host_of(page)
        return page - host.first_page <= host.corridor or page in self._hand_laid

    def _perhaps_through_a_door(self, page: int, number: int, place: WebPlace) -> WebPlace:
        doors = self._doors_to.get(place[0])
        if doors is None:
            return place
        draw = self._dice.draw(chance.DOOR, page, number)
        return place if draw % _THROUGH_A_DOOR_OF else (doors[(draw >> 16) % len(doors)], place[1])

    def _entrance(self, page: int) -> WebPlace:
        """Where the links go that make a page reachable: the page, or the first redirect before it."""
        hops = self._hops(page)
        return self._hop_place(Hop(page, hops)) if hops else self.page_place(page)

    def _hops(self, page: int) -> int:
        draw = self._dice.draw(chance.REDIRECT, page)
        if (draw >> 11) / 9_007_199_254_740_992 >= self._spec.redirect_share:
            return 0
        return (1, 1, 1, 1, 1, 2, 2, 3)[draw & 7]

    def _is_hop(self, hop: Hop) -> bool:
        return 1 <= hop.hops_left <= self._hops(hop.page)

    def _hop_place(self, hop: Hop) -> WebPlace:
        draw = self._dice.draw(chance.REDIRECT_HOP, hop.page, 100 + hop.hops_left)
        on_another_host = draw & 3 == 0
        index = (draw >> 8) % len(self._hosts) if on_another_host else self.host_of(hop.page).index
        return index, f"/go/{hop.page}/{hop.hops_left}"

    def _loop_places(self, page: int) -> list[WebPlace]:
        """The circle that a page leads into: one place or two; none if it leads into none."""
        ways = self._dice.pick(self._spec.loop_share, 2, chance.LOOP, page)
        index = self.host_of(page).index
        return [] if ways is None else [(index, f"/loop/{page}/{step}") for step in range(1 + ways)]

    def _is_robots_hop(self, hop: RobotsHop) -> bool:
        redirected = hop.host < len(self._hosts) and self._hosts[hop.host].robots is RobotsTxt.REDIRECTED
        return redirected and hop.hops_left < REDIRECTS

    def _robots_hop_place(self, hop: RobotsHop) -> WebPlace:
        """On the host itself, and by turns on the hosts of the seeds, which always answer."""
        seeds = min(self._spec.seed_hosts, len(self._hosts))
        index = hop.host if hop.hops_left % 2 else (hop.host + hop.hops_left) % seeds
        return index, f"/rules/{hop.host}/{hop.hops_left}/robots.txt"

    def _random_link(self, host: Host, page: int, number: int) -> WebPlace:
        draw = self._dice.draw(chance.LINK, page, number)
        if (draw & 0xFFFF) < self._spec.cross_host_share * 0x1_0000:
            target = (draw >> 20) % self._spec.pages
        else:
            target = host.first_page + (draw >> 20) % host.page_count
        return self._entrance(target) if draw & 0x1_0000 else self.page_place(target)

    def _dead_links(self, host: Host, page: int) -> list[WebPlace]:
        draw = self._dice.draw(chance.DEAD_LINK, page)
        if (draw >> 11) / 9_007_199_254_740_992 >= self._spec.dead_share:
            return []
        on_another_host = draw & 3 == 0
        index = (draw >> 2) % len(self._hosts) if on_another_host else host.index
        return [(index, f"/gone/{page}.html")]

    def _private_links(self, host: Host, page: int) -> list[WebPlace]:
        draw = self._dice.draw(chance.PRIVATE_LINK, page)
        linked = host if draw & 3 else self._hosts[(draw >> 16) % len(self._hosts)]
        if draw & 0xC or not has_private_pages(linked.robots):
            return []
        return [(linked.index, _private_path(draw >> 4))]

    def _lay_links_between_hosts(self) -> dict[int, list[WebPlace]]:
        """The few links that no formula gives backwards: as many as there are hosts, or twice that."""
        laid: defaultdict[int, list[WebPlace]] = defaultdict(list)
        slow_hosts = [host for host in self._hosts if host.slowness > 0.75] or [self._hosts[0]]
        for host in self._hosts[1:]:
            draw = self._dice.draw(chance.HOST_ENTRY, host.index)
            parent = self._hosts[draw % host.index]
            laid[parent.first_page + (draw >> 32) % parent.page_count].append(self._entrance(host.first_page))
        for host in self._hosts:
            if host.corridor:
                draw = self._dice.draw(chance.HOST_SHORTCUT, host.index)
                # The lower of two draws: hosts with a low number tend to be near the seeds.
                rank = min(draw % len(slow_hosts), (draw >> 32) % len(slow_hosts))
                laid[slow_hosts[rank].first_page].append(self.page_place(host.first_page + host.corridor))
        return dict(laid)


def _children(host: Host, local: int) -> range:
    """The pages below a page in its host's corridor or tree, by their numbers in the host."""
    if local < host.corridor:
        return range(local + 1, local + 2)
    first = host.corridor + host.branch * (local - host.corridor) + 1
    return range(min(first, host.page_count), min(first + host.branch, host.page_count))


def _private_path(number: int) -> str:
    return f"/private/{number % _PRIVATE_PAGES}.html"
