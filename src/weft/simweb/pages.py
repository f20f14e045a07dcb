"""The pages themselves: HTML with its links and oddities, as behaviours. Pure."""

from __future__ import annotations

from html import escape

from msgspec.structs import replace

from weft.simweb import chance
from weft.simweb.behaviour import Broken, Fault, Fixed
from weft.simweb.chance import Dice
from weft.simweb.graph import Graph
from weft.simweb.hosts import Host
from weft.simweb.html import TextBlock, render_page, write_href
from weft.simweb.spec import WebSpec
from weft.simweb.topical import TopicalLinks
from weft.simweb.topical_text import TopicalText
from weft.simweb.traits import CODINGS, Charset, Directive, Traits

_NONE: frozenset[int] = frozenset()


class Pages:
    """Makes the pages of one web, each whenever it is asked for."""

    def __init__(
        self, spec: WebSpec, dice: Dice, graph: Graph, traits: Traits, topic: TopicalLinks | None = None
    ) -> None:
        self.text = TextBlock(dice)
        self._spec = spec
        self._dice = dice
        self._graph = graph
        self._traits = traits
        self._topical = TopicalText(spec, dice, topic, self.text) if topic else None

    def page(self, host: Host, path: str, page: int, origins: list[str]) -> Fixed | Broken:
        """A page with its fault, if it has one. `origins` are those of hosts and doors, like http://a.test:8080."""
        whole = self.whole_page(host, path, page, origins)
        fault = self.fault(host, page)
        if fault is None:
            return whole
        asks_to_wait = fault is Fault.STATUS_503 and page & 4
        return Broken(
            fault,
            whole,
            attempts=self._spec.failing_attempts,
            stall_s=self._spec.stall_s,
            retry_after_s=self._spec.retry_after_s if asks_to_wait else None,
            retry_after_as_date=bool(page & 8),
        )

    def whole_page(self, host: Host, path: str, page: int, origins: list[str]) -> Fixed:
        """A page without its fault."""
        title = f"Page {page} on {host.name}"
        if self._topical:
            hrefs, _ = self._hrefs(host, path, page, None, origins)
            return Fixed(self._topical.page(page, title, hrefs), keep_alive=host.keep_alive)
        charset = None if self._traits.all_plain else self._traits.charset(page)
        hrefs, nofollow = self._hrefs(host, path, page, charset, origins)
        if self._traits.all_plain:
            return Fixed(self._render(hrefs, title, page, nofollow), keep_alive=host.keep_alive)
        directive = self._graph.directive(page)
        meta = self._meta(directive) if directive and directive.meta_name else ""
        body = self._render(
            hrefs, f"{title} {charset.word}" if charset else title, page, nofollow, meta=meta, charset=charset
        )
        return self._with_odd_headers(Fixed(body, keep_alive=host.keep_alive), page, charset, directive)

    def private_page(self, host: Host, hrefs: list[str]) -> Fixed:
        """A page below /private/."""
        return Fixed(self._render(hrefs, "Private", 0), keep_alive=host.keep_alive)

    def fault(self, host: Host, page: int) -> Fault | None:
        """How the first attempts at a page fail. A host that limits its rate has that fault and no other."""
        return None if host.rate_limited else self._traits.fault(page)

    def _with_odd_headers(self, whole: Fixed, page: int, charset: Charset | None, directive: Directive | None) -> Fixed:
        coding = self._traits.coding(page)
        wrong_type = self._graph.content_type(page)
        if charset:
            # The page says it, too; half of them say it alone. UTF-16 has a mark of its own.
            whole = replace(whole, content_type=f"text/html; charset={charset.label}" if page % 2 else "text/html")
        elif wrong_type:
            whole = replace(whole, content_type=wrong_type[0])
        if directive and directive.header:
            asked = directive.header.format(agent=self._spec.agent)
            whole = replace(whole, headers=(("X-Robots-Tag", asked),))
        if coding:
            headers = (*whole.headers, ("Content-Encoding", coding))
            whole = replace(whole, body=CODINGS[coding](whole.body), headers=headers)
        return whole

    def _hrefs(
        self, host: Host, path: str, page: int, charset: Charset | None, origins: list[str]
    ) -> tuple[list[str], frozenset[int]]:
        """The page's links as they stand in it, and the numbers of those that say rel=nofollow."""
        origin = origins[host.index]
        hrefs: list[str] = []
        nofollow: list[int] = []
        some_nofollow = self._spec.rel_nofollow_share > 0
        for number, (index, target) in enumerate(self._graph.links(page)):
            draw = self._dice.draw(chance.HREF, page, number)
            hrefs.append(write_href(origin, path, origins[index], target, draw))
            twice = draw & 0xF0000 == 0 and not self._topical
            if twice:  # the same once more, written in another way
                hrefs.append(write_href(origin, path, origins[index], target, draw >> 20))
            if some_nofollow and self._graph.is_rel_nofollow(page, number):
                nofollow += range(len(hrefs) - 1 - twice, len(hrefs))
        if charset:
            # In a page of the same charset the letters themselves mean the same as their escapes.
            escaped_word = charset.escaped_word
            hrefs = [href.replace(escaped_word, charset.word) for href in hrefs]
        return hrefs, frozenset(nofollow) if nofollow else _NONE

    def _meta(self, directive: Directive) -> str:
        name = directive.meta_name.format(agent=self._spec.agent)
        return f'<meta name="{escape(name)}" content="{escape(directive.meta_content)}">'

    def _render(
        self,
        hrefs: list[str],
        title: str,
        page: int,
        nofollow: frozenset[int] = _NONE,
        *,
        meta: str = "",
        charset: Charset | None = None,
    ) -> bytes:
        page_bytes = int(self._spec.page_bytes * (0.25 + 1.5 * self._dice.unit(chance.SIZE, page)))
        text_offset = self._dice.draw(chance.TEXT, page)
        return render_page(
            title, hrefs, self.text, text_offset, page_bytes, nofollow=nofollow, meta=meta, charset=charset
        )
