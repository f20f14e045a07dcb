from __future__ import annotations

import pytest
from xxhash import xxh3_128_hexdigest

from weft.mirror.paths import MAX_NAME_BYTES, MAX_PATH_UNITS, Naming, attachment_name, relative_link, wanted_path
from weft.url import canonicalize

HTML = "text/html; charset=utf-8"


def hash_of(text: str) -> str:
    return xxh3_128_hexdigest(text.encode())[:8]


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://example.org/", "example.org/index.html"),
        ("https://example.org/", "example.org/index.html"),  # both schemes mostly are one site
        ("http://example.org/d/", "example.org/d/index.html"),
        ("http://example.org/d", "example.org/d.html"),
        ("http://example.org/d/e.html", "example.org/d/e.html"),
        ("http://example.org/d/E.HTM", "example.org/d/E.HTM"),
        ("http://example.org:8080/a", "example.org@8080/a.html"),
        ("http://example.org:443/a", "example.org@443/a.html"),
        ("http://192.0.2.1/a", "192.0.2.1/a.html"),
        ("http://[2001:DB8::1]/a", "ipv6@2001-db8--1/a.html"),
        ("http://[::1]:8080/a", "ipv6@--1@8080/a.html"),
        ("http://bücher.example/", "xn--bcher-kva.example/index.html"),
        ("http://EXAMPLE.org./a", "example.org/a.html"),
        ("http://aux.example.org/", "%61ux.example.org/index.html"),
        ("http://nul/", "%6Eul/index.html"),
        ("http://a*b/", "a%2Ab/index.html"),
        ("http://user:word@example.org/", "example.org/index.html"),
    ],
)
def test_the_host_is_the_first_folder_and_a_folder_has_an_index(url: str, path: str) -> None:
    assert wanted_path(canonicalize(url), HTML) == path


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("ftp://example.org/pub/a.txt", "ftp@example.org/pub/a.txt"),
        ("ftp://example.org:2121/pub/", "ftp@example.org@2121/pub/index.html"),
    ],
)
def test_what_comes_by_ftp_has_a_folder_of_its_own(url: str, path: str) -> None:
    assert wanted_path(url, "text/plain" if url.endswith(".txt") else HTML) == path


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h/?", "h/index@.html"),
        ("http://h/?a=1", "h/index@a=1.html"),
        ("http://h/page.php?id=3", "h/page.php@id=3.html"),
        ("http://h/page.html?id=3", "h/page@id=3.html"),
        ("http://h/page?id=3&lang=de", "h/page@id=3&lang=de.html"),
        ("http://h/d/?page=2", "h/d/index@page=2.html"),
        ("http://h/a?b?c", "h/a@b%3Fc.html"),
        ("http://h/a?u=https://x.org/y", "h/a@u=https%3A%2F%2Fx.org%2Fy.html"),
        ("http://h/a?q=%C3%BCber+all%20es", "h/a@q=über+all es.html"),
        ("http://h/a?f=b.png", "h/a@f=b.png.html"),
        ("http://h/a?../../x", "h/a@..%2F..%2Fx.html"),
        ("http://h/a?x=1.", "h/a@x=1..html"),
    ],
)
def test_a_query_stands_before_the_extension(url: str, path: str) -> None:
    assert wanted_path(canonicalize(url), HTML) == path


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h/%7Ejoe/a%20b%21.html", "h/~joe/a b!.html"),
        ("http://h/caf%C3%A9.html", "h/café.html"),
        ("http://h/cafe%CC%81.html", "h/café.html"),  # NFC
        ("http://h/%E4%BD%A0%E5%A5%BD/", "h/你好/index.html"),
        ("http://h/%F0%9F%98%80", "h/😀.html"),
        ("http://h/%C4%E3.html", "h/%C4%E3.html"),  # GBK
        ("http://h/a%2Fb%5Cc%00d.html", "h/a%2Fb%5Cc%00d.html"),
        ("http://h/100%25.html", "h/100%25.html"),
        ("http://h/%2541.html", "h/%2541.html"),
        ("http://h/100%.html", "h/100%25.html"),
        ("http://h/File:a*b|c%3Cd%3E%22e%3F.html", "h/File%3Aa%2Ab%7Cc%3Cd%3E%22e%3F.html"),
        ("http://h/a%0Ab%7F.html", "h/a%0Ab%7F.html"),
        ("http://h/%E2%80%AEfdp.html", "h/%E2%80%AEfdp.html"),  # turns the name round
        ("http://h/a%C2%A0b%E2%80%8D.html", "h/a%C2%A0b%E2%80%8D.html"),  # looks like a space, like nothing
        ("http://h/a%0A%CC%81.html", "h/a%0Á.html"),  # still NFC
        ("http://h/;a=1/b,c'd(e)", "h/;a=1/b,c'd(e).html"),
        ("http://h/npm/vue@3/x.html", "h/npm/vue@3/x.html"),
    ],
)
def test_names_are_decoded_as_far_as_every_system_takes_them(url: str, path: str) -> None:
    assert wanted_path(canonicalize(url), HTML) == path


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h/a/../../../etc/passwd", "h/etc/passwd"),
        ("http://h/%2e%2e/%2E./x", "h/x"),
        ("http://h/..;/x", "h/%2E.;/x"),
        ("http://h/..%2f..%2fx", "h/%2E.%2F..%2Fx"),
        ("http://h/..%5c..%5cx", "h/%2E.%5C..%5Cx"),
        ("http://h/..\\..\\x", "h/x"),
        ("http://h/%252e%252e/x", "h/%252e%252e/x"),
        ("http://h/.../x", "h/%2E.%2E/x"),
        ("http://h/.git/config", "h/%2Egit/config"),
        ("http://h/.htaccess", "h/%2Ehtaccess"),
        ("http://.weft/x", "%2Eweft/x"),
        ("http://weft~1/x", "weft%7E1/x"),  # Windows' short name of .weft
        ("http://h/.weft/x", "h/%2Eweft/x"),
        ("http://h//x", "h/_/x"),
        ("http://h///", "h/_/_/index"),
        ("http://h/a./b%20/c.", "h/a%2E/b%20/c%2E"),
        ("http://h/%20a", "h/%20a"),
        ("http://h/%20", "h/%20"),
        ("http://h/%2e%20", "h/%2E%20"),
        ("http://h/C:/x", "h/C%3A/x"),
    ],
)
def test_no_path_leaves_its_folder_or_hides_in_it(url: str, path: str) -> None:
    assert wanted_path(canonicalize(url)) == path


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("con", "%63on"), ("CON", "%43ON"), ("Nul.html", "%4Eul.html"), ("aux.tar.gz", "%61ux.tar.gz"),
        ("prn", "%70rn"), ("com1", "%63om1"), ("LPT9.x", "%4CPT9.x"), ("com%C2%B9", "%63om¹"),
        ("CON%20.txt", "%43ON .txt"),
        ("conin$", "%63onin$"), ("console", "console"), ("com10", "com10"), ("com", "com"), ("nul-1.txt", "nul-1.txt"),
    ],
)  # fmt: skip
def test_a_device_of_windows_is_no_name(segment: str, name: str) -> None:
    assert wanted_path(canonicalize(f"http://h/{segment}")) == f"h/{name}"
    assert wanted_path(canonicalize(f"http://h/{segment}/x")) == f"h/{name}/x"


def test_a_device_is_noticed_after_the_extension_came() -> None:
    assert wanted_path("http://h/aux", HTML) == "h/%61ux.html"
    assert wanted_path("http://h/aux?x", HTML) == "h/aux@x.html"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("weft~1/a.html", "weft%7E1/a.html"),
        ("WEFT~1", "WEFT%7E1"),
        ("~user/a.html", "~user/a.html"),
        ("a/b~1", "a/b~1"),
    ],
)
def test_a_first_name_without_a_host_before_it_is_no_short_name_of_another(path: str, wanted: str) -> None:
    naming = Naming(host_folder=False)
    assert wanted_path(f"http://h/{path}", "application/octet-stream", naming=naming) == wanted


def test_a_long_name_is_cut_and_has_a_hash_and_its_extension() -> None:
    url = f"http://h/{'a' * 300}.jpeg"
    path = wanted_path(url, "image/jpeg")
    assert path == f"h/{'a' * (MAX_PATH_UNITS - 2 - 14)}-{hash_of(url)}.jpeg"
    assert len(path) == MAX_PATH_UNITS


def test_a_long_name_is_counted_in_bytes_too() -> None:
    url = canonicalize(f"http://h/{'é' * 117}aaaaaa.png")  # 240 + 4 bytes
    name = wanted_path(url, "image/png").removeprefix("h/")
    assert name == f"{'é' * 113}-{hash_of(url)}.png"
    assert len(name.encode()) == MAX_NAME_BYTES - 1
    assert wanted_path(canonicalize(f"http://h/{'é' * 115}aaaaaa.png"), "image/png") == f"h/{'é' * 115}aaaaaa.png"


def test_a_cut_does_not_go_through_an_escape() -> None:
    for length in range(170, 200):
        url = f"http://h/{'a' * length}{'%3A' * 20}"
        stem, _, _ = wanted_path(url, HTML).rpartition("-")
        assert stem.rstrip("%3A") == f"h/{'a' * length}"[: len(stem)].rstrip("%3A")
        assert not stem.endswith(("%", "%3"))


def test_long_queries_that_differ_at_their_end_want_different_paths() -> None:
    paths = {wanted_path(f"http://h/p?{'q' * 500}{i}", HTML) for i in range(100)}
    assert len(paths) == 100
    assert all(path.startswith("h/p@qqq") and path.endswith(".html") and len(path) == MAX_PATH_UNITS for path in paths)


def test_a_folder_is_the_same_for_all_its_files_however_long_their_names() -> None:
    folder = "http://h/" + "/".join(f"{n}{'d' * 20}" for n in range(12))
    paths = [wanted_path(f"{folder}/{'f' * length}", HTML) for length in (1, 20, 50, 300)]
    assert len({path.rpartition("/")[0] for path in paths}) == 1
    assert all(len(path) <= MAX_PATH_UNITS for path in paths)
    assert paths[0].startswith(f"h/0{'d' * 20}/1{'d' * 20}/")
    assert paths[0].endswith("/f.html")


def test_deep_folders_that_differ_below_the_cut_stay_apart() -> None:
    deep = "http://h/" + "abcdefghi/" * 20
    assert wanted_path(f"{deep}x/f", HTML).rpartition("/")[0] != wanted_path(f"{deep}y/f", HTML).rpartition("/")[0]


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b'attachment; filename="report.pdf"', "report.pdf"),
        (b"attachment; filename=report.pdf", "report.pdf"),
        (b"ATTACHMENT;FileName = a b.pdf ; size=3", "a b.pdf"),
        (b"attachment; filename*=UTF-8''%e2%82%ac%20rates.pdf", "€ rates.pdf"),
        (b"attachment; filename=\"EURO.pdf\"; filename*=utf-8'en'%e2%82%ac.pdf", "€.pdf"),
        (b"attachment; filename*=\"UTF-8''%e2%82%ac.pdf\"", "€.pdf"),  # some quote it
        (b"attachment; filename*=ISO-8859-1''caf%E9.pdf", "café.pdf"),
        (b"attachment; filename*=UTF-8''%E9.pdf; filename=a.pdf", "a.pdf"),  # not UTF-8
        (b"attachment; filename*=klingon''x.pdf; filename=a.pdf", "a.pdf"),
        (b'attachment; filename="a \\"b\\"; c.pdf"', 'a "b"; c.pdf'),
        (b'attachment; name="; filename=evil.exe"; filename=a.pdf', "a.pdf"),
        (b"attachment; filename=a.pdf; filename=b.pdf", "a.pdf"),
        (b'attachment; filename="a%20b.pdf"', "a b.pdf"),
        ("attachment; filename=é.pdf".encode(), "é.pdf"),
        (b"attachment; filename=\xe9.pdf", "é.pdf"),
        (b'attachment; filename="../../etc/passwd"', "passwd"),
        (b'attachment; filename="..%2F..%2Fpasswd"', "passwd"),
        (b'attachment; filename="C:\\\\dir\\\\a.pdf"', "a.pdf"),
        (b"attachment; filename*=UTF-8''..%2f..%5c.weft", "weft"),
        (b'attachment; filename=".."', ""),
        (b'attachment; filename=""', ""),
        (b'attachment; filename="', '"'),
        (b"attachment", ""),
        (b'inline; filename="report.pdf"', ""),
        (b'filename="report.pdf"', ""),
        (b"", ""),
    ],
)
def test_an_attachment_is_named_by_its_header(header: bytes, name: str) -> None:
    assert attachment_name(header) == name


@pytest.mark.parametrize(
    ("header", "path"),
    [
        (b'attachment; filename="report.pdf"', "h/get/report.pdf"),
        (b'attachment; filename="report"', "h/get/report.pdf"),
        (b'attachment; filename="re:port?.pdf"', "h/get/re%3Aport%3F.pdf"),
        (b'attachment; filename="con.pdf"', "h/get/%63on.pdf"),
        (b"attachment; filename*=UTF-8''100%2541.pdf", "h/get/100%2541.pdf"),
        (b'inline; filename="report.pdf"', "h/get/file.php@id=3.pdf"),
        (b'attachment; filename=".."', "h/get/file.php@id=3.pdf"),
        (None, "h/get/file.php@id=3.pdf"),
    ],
)
def test_the_name_of_an_attachment_is_made_safe_like_any_other(header: bytes | None, path: str) -> None:
    assert wanted_path("http://h/get/file.php?id=3", "application/pdf", b"%PDF-1.7", header) == path


@pytest.mark.parametrize(
    ("from_path", "to_path", "fragment", "link"),
    [
        ("h/a.html", "h/b.html", "", "b.html"),
        ("h/a.html", "h/b.html", "x", "b.html#x"),
        ("h/a.html", "h/a.html", "x", "#x"),
        ("h/a.html", "h/a.html", "", "a.html"),
        ("h/d/a.html", "h/d/e/b.html", "", "e/b.html"),
        ("h/d/a.html", "h/de/b.html", "", "../de/b.html"),
        ("h/d/e/a.html", "h/b.html", "", "../../b.html"),
        ("h/d/a.html", "i@8080/b.html", "", "../../i@8080/b.html"),
        ("h/a.html", "h/100%25 #1?é.html", "", "100%2525%20%231%3F%C3%A9.html"),
        ("h/a.html", "h/b'c\"(d),e&f;.html", "", "b%27c%22%28d%29%2Ce%26f%3B.html"),
        ("h/a.html", "h/x:y.html", "", "x%3Ay.html"),  # no scheme
        ("h/a.html", "h/b@q=1.html", "", "b@q=1.html"),
        ("h/a.html", "h/b.svg", "é (1)&%C3%A9'\"", "b.svg#%C3%A9%20(1)&%C3%A9%27%22"),
        ("index.html", "h/b.html", "", "h/b.html"),
        ("h/b.html", "index.html", "", "../index.html"),
    ],
)
def test_a_link_leads_from_file_to_file(from_path: str, to_path: str, fragment: str, link: str) -> None:
    assert relative_link(from_path, to_path, fragment) == link
