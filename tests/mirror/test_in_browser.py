"""The torture site's mirror in a real browser that has no network: `tests/install-browser` brings the browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .browser import browsing
from .browser_judge import Judge, Mirror, Pair, all_faults, beside, other_looks, view_live
from .browser_view import view
from .mirrors import FOLDER, mirror, summary_of
from .site_server import OTHER, Answer, Site, serving
from .torture_looks import KINDS, NAMES, START, put_looks
from .torture_site import fill

_SHOWN = (".html", ".xhtml", ".svg", ".txt")


def _fill(site: Site) -> None:
    fill(site)
    put_looks(site)
    # A font whose letters are unlike the browser's own: it comes with Debian's chromium.
    (font, *_) = sorted(Path("/usr/share/fonts").rglob("DejaVuSansMono-Bold.ttf"))
    headers = (("Access-Control-Allow-Origin", "*"),)
    site.put("/fonts/f.woff2", Answer(font.read_bytes(), "font/woff2", headers=headers), OTHER)


def _redirects(site: Site) -> dict[str, str]:
    found = {}
    for (host, path), answer in site.answers.items():
        for name, value in answer.headers:
            if name == "Location":
                found[site.url(path, host)] = (
                    value if value.startswith("http") else site.url("/" + value.lstrip("/"), host)
                )
    return found


class Torture:
    """The site mirrored, and its pages seen by both browsers, once for all tests of this file."""

    def __init__(self, cwd: Path) -> None:
        self.site = Site()
        with serving(self.site), browsing(network=True) as browser:
            _fill(self.site)
            summary_of(mirror(self.site, cwd, self.site.url(START), "--json"))
            self.asked = set(self.site.statuses())
            self.mirror = Mirror(cwd / FOLDER, _redirects(self.site))
            urls = [url for url, path in self.mirror.saved().items() if path.endswith(_SHOWN) and "download" not in url]
            live = view_live(browser, sorted(urls))
        with browsing(network=False) as browser:
            self.pairs = beside(browser, self.mirror, live)
        self.judge = Judge(self.mirror)

    def pair(self, path: str) -> Pair:
        """The page that was saved there."""
        return next(pair for pair in self.pairs if pair.path.endswith(path))


@pytest.fixture(scope="module")
def torture(tmp_path_factory: pytest.TempPathFactory) -> Torture:
    return Torture(tmp_path_factory.mktemp("torture"))


def test_every_page_and_picture_of_the_site_was_found(torture: Torture) -> None:
    there = {torture.site.url(path, host) for host, path in torture.site.answers}
    assert there - torture.asked == {torture.site.url("/page.html", OTHER)}  # a page of another host
    assert len(torture.pairs) >= 75


def test_no_request_leaves(torture: Torture) -> None:
    assert all_faults([torture.judge.requests_that_leave(pair) for pair in torture.pairs]) == ""


def test_nothing_that_a_page_needs_is_missing(torture: Torture) -> None:
    assert all_faults([torture.judge.missing_parts(pair) for pair in torture.pairs]) == ""


def test_links_lead_to_the_files_of_what_they_led_to(torture: Torture) -> None:
    faults = [torture.judge.wrong_links(pair) for pair in torture.pairs]
    by_script = torture.site.url("/neither")
    assert all_faults([[one for one in some if by_script not in one] for some in faults]) == ""


def test_pages_say_the_same(torture: Torture) -> None:
    assert all_faults([torture.judge.other_texts(pair) for pair in torture.pairs]) == ""


def test_pages_look_the_same(torture: Torture) -> None:
    assert all_faults([other_looks(torture.pairs, torture.mirror.folder.parent)]) == ""


@pytest.mark.parametrize("name", ["app.webmanifest", "app.php.json"])
def test_the_icons_of_a_manifest_are_in_the_mirror(torture: Torture, name: str) -> None:
    (path,) = torture.mirror.folder.rglob(name)
    manifest = json.loads(path.read_bytes())
    for picture in (*manifest["icons"], *manifest["screenshots"]):
        assert (path.parent / picture["src"]).is_file(), picture["src"]


def test_every_case_is_shown_and_would_be_missed(torture: Torture) -> None:
    """All boxes are in the window, each larger than the difference that is let pass; the server shows all of them."""
    for name, cases in ("kinds", KINDS), ("names", NAMES):
        live = torture.pair(f"/looks/{name}.html").live
        assert len(cases) <= 48
        assert not [image for image, is_shown in live.images if not is_shown and not image.startswith("data:")]
    assert torture.pair("/looks/kinds.html").live.fonts == ["far"]


def test_the_watch_sees_requests_that_leave_and_files_that_are_missing(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<img src="http://127.0.0.1:9/a.png"><img src="gone.png"><iframe srcdoc="<img src=http://127.0.0.1:9/b.png>"></iframe>'
    )
    with browsing(network=False) as browser:
        seen = view(browser, page.as_uri())
    away = [f"http://127.0.0.1:9/{name}.png" for name in "ab"]
    assert sorted(seen.leaving) == away
    assert sorted(seen.failures) == [(tmp_path / "gone.png").as_uri(), *away]
    assert [is_shown for _, is_shown in seen.images] == [False, False]
