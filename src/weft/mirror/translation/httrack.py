"""HTTrack's flags. Short ones stand together (`-r3%e1c8`), with a number behind each that has one."""

from __future__ import annotations

import re
from typing import Final

from weft.errors import BadInput
from weft.mirror.translation.row import Flags, Row, Translation, names_in, said, whole, words_of
from weft.regex import regex

_SHORT = regex(r"([%@#&]?[A-Za-z!0])(\d*(?:,\d*)?)")
_FILTER = regex(r"[*./:]")


def _row(names: str, way: str, make: object = None, *, value: bool = False, missing: bool = False) -> Row:
    return Row(names, way, make, is_missing=missing, takes_value=value)  # type: ignore[arg-type]


def _as(flag: str) -> object:
    return lambda value: [flag, value] if value else []


def _number(flag: str, less: int = 0) -> object:
    return lambda value: [flag, str(max(whole(value, flag) - less, 0))] if value else []


def _header(name: str) -> object:
    return lambda value: ["--header", f"{name}: {value}"]


def _size(value: str) -> Flags:
    """Of files, and of pages behind a comma."""
    of_files, _, of_pages = value.partition(",")
    rules = [f"-size>{whole(of_files, '-m')}"] if of_files else []
    if rules:
        rules.append("+type:text/html")
    if of_pages:
        rules.append(f"-type:text/html size>{whole(of_pages, '-m')}")
    return [word for rule in rules for word in ("--rule", rule)]


def _timeouts(value: str) -> Flags:
    return ["--connect-timeout", value, "--response-timeout", value, "--idle-timeout", value] if value else []


def _structure(value: str) -> Flags:
    return {"100": ["--no-host-folder"], "1003": ["--flat"], "3": ["--flat"]}.get(value, [])


def _priority(value: str) -> Flags:
    return ["--accept", "type:text/html"] if value == "1" else []


def _errors(value: str) -> Flags:
    return [] if value == "0" else ["--accept", "status:*"]


def _proxy(value: str) -> Flags:
    return ["--proxy", value if "://" in value else f"http://{value}"]


ROWS: Final = (
    _row("-O, --path", "-o DIR", lambda value: ["-o", value.partition(",")[0]], value=True),
    _row("-w, --mirror", "what weft mirror does"),
    _row("-W, --mirror-wizard", "weft asks nobody", missing=True),
    _row("-g, --get-files", "--flat --depth 0", lambda _: ["--flat", "--depth", "0"]),
    _row("-i, --continue", "the same command goes on after a stop of any kind"),
    _row("--update", "--update", lambda _: ["--update"]),
    _row("-Y, --mirrorlinks", "give the links themselves as URLs, or --seeds FILE", missing=True),
    _row("-P, --proxy", "--proxy URL", _proxy, value=True),
    _row("-%f, --httpproxy-ftp", "a proxy is used for all that it can do", missing=True),
    _row("-%b, --bind", "--bind ADDRESS", _as("--bind"), value=True),
    _row("-r, --depth", "--depth N - 1: HTTrack counts the first page", _number("--depth", 1)),
    _row("-%e, --ext-depth", "--other-depth N", _number("--other-depth")),
    _row("-m, --max-files", "--rule '-size>N', and what is said of pages behind it"),
    _row("-M, --max-size", "--max-bytes SIZE", _as("--max-bytes")),
    _row("-E, --max-time", "--max-time TIME", _as("--max-time")),
    _row("-A, --max-rate", "--bandwidth SIZE", _as("--bandwidth")),
    _row("-%c, --connection-per-second", "--rate N", _as("--rate")),
    _row("-G, --max-pause", "`weft control DIR/.weft pause`", missing=True),
    _row("-c, --sockets", "--connections N; to one host at a time, --connections-per-host", _as("--connections")),
    _row("-T, --timeout", "--connect-timeout, --response-timeout and --idle-timeout", _timeouts),
    _row("-R, --retries", "what fails is tried again by docs/outcomes.md", missing=True),
    _row("-J, --min-rate", "an answer that hardly moves is given up, by a rule of weft's own", missing=True),
    _row("-H, --host-control", "hosts that do not answer rest, and are left for later at last", missing=True),
    _row("-%P, --extended-parsing", "always, in attributes; not in scripts", missing=True),
    _row("-n, --near", "--near", lambda _: ["--near"]),
    _row("-t, --test", "weft asks for nothing that it is not to have", missing=True),
    _row("-%L, --list", "--seeds FILE", _as("--seeds"), value=True),
    _row("-%S, --urllist", "rules stand in weft.toml: rule = ['+…', '-…']", value=True, missing=True),
    _row("-N, --structure", "100 is --no-host-folder, 3 and 1003 are --flat; no others", _structure),
    _row("-%N, --delayed-type-check", "always: a file is named when its type is known"),
    _row("-%D, --cached-delayed-type-check", "an update asks for every page", missing=True),
    _row("-%M, --mime-html", "`weft pack` makes one file of a mirror"),
    _row("-L, --long-names", "names are such that any system takes them", missing=True),
    _row("-K, --keep-links", "links to what was saved are relative, all others absolute", missing=True),
    _row("-x, --replace-external", "links to what was not saved lead to the web", missing=True),
    _row("-%x, --disable-passwords", "always: passwords go only to the hosts that they are for"),
    _row("-%q, --include-query-string", "0 is --no-query-names",
         lambda value: ["--no-query-names"] if value == "0" else []),
    _row("-o, --generate-errors", "--accept 'status:*'; 0 is as weft does it", _errors),
    _row("-X, --purge-old", "always, after a complete update; --keep-versions N keeps what went"),
    _row("-%p, --preserve", "the archive in DIR/.weft has each answer as it came", missing=True),
    _row("-%T, --utf8-conversion", "files stay in their own charset, and say which", missing=True),
    _row("-b, --cookies", "--keep-cookies", lambda value: [] if value == "0" else ["--keep-cookies"]),
    _row("-u, --check-type", "always: a file is named when its type is known"),
    _row("-j, --parse-java", "no applet is read", missing=True),
    _row("-s, --robots", "0 is --ignore-robots", lambda value: ["--ignore-robots"] if value == "0" else []),
    _row("-%s, --updatehack", "an update goes by ETag and Last-Modified", missing=True),
    _row("-%u, --urlhack", "what servers may tell apart is kept apart", missing=True),
    _row("-%A, --assume", "the server's word counts, then the first bytes", value=True, missing=True),
    _row("-F, --user-agent", "--user-agent TEXT", _as("--user-agent"), value=True),
    _row("-%R, --referer", "--header 'Referer: URL'", _header("Referer"), value=True),
    _row("-%E, --from", "--header 'From: ADDRESS'", _header("From"), value=True),
    _row("-%F, --footer", "nothing is added to pages", value=True, missing=True),
    _row("-%l, --language", "--header 'Accept-Language: …'", _header("Accept-Language"), value=True),
    _row("-%a, --accept", "--header 'Accept: …'", _header("Accept"), value=True),
    _row("-%X, --headers", "--header 'NAME: VALUE'", _as("--header"), value=True),
    _row("-C, --cache", "always: the archive in DIR/.weft"),
    _row("-k, --store-all-in-cache", "always: the archive in DIR/.weft"),
    _row("-%n, --do-not-recatch", "a file that was deleted here is made again", missing=True),
    _row("-I, --index", "--index", lambda value: [] if value == "0" else ["--index"]),
    _row("-%i, --build-top-index", "each mirror has its own", missing=True),
    _row("-%I, --search-index", "--index: titles can be searched", lambda value: [] if value == "0" else ["--index"]),
    _row("-p, --priority", "1 is --accept type:text/html; 0 is `weft crawl`; no others", _priority),
    _row("-S, --stay-on-same-dir", "--scope prefix, with the folders below"),
    _row("-D, --can-go-down", "--scope prefix"),
    _row("-U, --can-go-up", "--scope host, with the folders beside", lambda _: ["--scope", "host"]),
    _row("-B, --can-go-up-and-down", "--scope host", lambda _: ["--scope", "host"]),
    _row("-a, --stay-on-same-address", "--scope host, or prefix"),
    _row("-d, --stay-on-same-domain", "--scope domain", lambda _: ["--scope", "domain"]),
    _row("-l, --stay-on-same-tld", "--rule '+re:…' with a pattern for hosts", missing=True),
    _row("-e, --go-everywhere", "--scope any", lambda _: ["--scope", "any"]),
    _row("-q, --quiet", "--quiet", lambda _: ["--quiet"]),
)  # fmt: skip

# Flags of `httrack --help` that say nothing of what is mirrored, nor how.
NOT_RECURSIVE: Final = names_in("""
    -@i --protocol -%w --disable-module -%h --http-10 -%k --keep-alive -%B --tolerant -%v --display -Q --do-not-log
    -z --extra-log -Z --debug-log -v --verbose -f --file-log --single-log -%H --debug-headers -#X --fast-engine -#0
    --debug-testfilters -#1 -#2 -#C --debug-cache -#R --repair-cache -#d --debug-parsing -#E -#f
    --advanced-flushlogs -#F --advanced-maxfilters -#h --version -#K --debug-scanstdin -#L --advanced-maxlinks -#p
    --advanced-progressinfo -#P --catch-url -#T --debug-xfrstats -#u --advanced-wait -#Z --debug-ratestats -%!
    --disable-security-limits -V --userdef-cmd -%W --callback
""")
_WITH_VALUE: Final = names_in("""
    -%w --disable-module -V --userdef-cmd -%W --callback -#0 -#C
""")
_BY_NAME: Final = {name: row for row in ROWS for name in row.all_names}
_TRAVEL: Final = ("-U", "-B", "-d", "-l", "-e", "-S", "-D", "-a")


def from_httrack(text: str) -> Translation:
    """What weft is told for a command line of HTTrack; BadInput for what is none."""
    return _Httrack(words_of(text, "httrack")).translation()


class _Httrack:
    def __init__(self, words: list[str]) -> None:
        self._words = words[::-1]
        self._urls: list[str] = []
        self._rules: list[str] = []
        self._given: list[tuple[str, str]] = []
        while self._words:
            word = self._words.pop()
            if word.startswith("--"):
                name, _, value = word.partition("=")
                self._take(name, value)
            elif word.startswith("+") or (word.startswith("-") and _FILTER.search(word)):
                self._rules.append(word)
            elif word.startswith("-") and len(word) > 1:
                self._take_short(word)
            else:
                self._urls.append(word)

    def _take_short(self, word: str) -> None:
        at = 1
        while at < len(word):
            found = _SHORT.match(word, at)
            if found is None:
                raise BadInput(f"HTTrack has no flag {word[:100]}")
            self._take(f"-{found[1]}", found[2])
            at = found.end()

    def _take(self, name: str, value: str) -> None:
        row = _BY_NAME.get(name)
        if row is None and name not in NOT_RECURSIVE:
            raise BadInput(f"HTTrack has no flag {name[:100]}")
        if (row.takes_value if row is not None else name in _WITH_VALUE) and not value:
            if not self._words:
                raise BadInput(f"{name} needs a value")
            value = self._words.pop()
        self._given.append((name if row is None else row.all_names[0], value))

    def translation(self) -> Translation:
        flags: Flags = []
        remarks: list[str] = []
        if not any(name in ("-U", "-B", "-d", "-l", "-e") for name, _ in self._given):
            flags += ["--scope", "prefix"]  # HTTrack goes down only
        flags += [word for name, value in self._given if name == "-m" for word in _size(value)]  # what follows decides
        for rule in self._rules:
            flags += ["--rule", _rule(rule)]
        for name, value in self._given:
            row = _BY_NAME.get(name)
            if row is None:
                remarks.append(f"{name}: says nothing of what is mirrored; `weft mirror --help` has weft's own flags")
                continue
            made = row.make(value) if row.make is not None else []
            flags += made
            if row.is_missing:
                remarks.append(f"{name}: not possible: {row.way}")
            elif not made and name not in (*_TRAVEL, "-m"):
                remarks.append(said(row, name))
        if not self._urls and "--seeds" not in flags:
            raise BadInput("the command line names no URL")
        if "--near" not in flags:
            flags.append("--no-requisites-anywhere")
        return Translation(flags, self._urls, list(dict.fromkeys(remarks)))


def _rule(rule: str) -> str:
    """A filter of HTTrack: mime: is type:, and *[…] is any text of some characters."""
    sign, pattern = rule[0], rule[1:]
    if pattern.startswith("mime:"):
        return f"{sign}type:{pattern.removeprefix('mime:')}"
    sizes = re.findall(r"\*\[([<>])(\d+)\]", pattern)  # in kilobytes
    pattern = re.sub(r"\*\[[<>]\d+\]", "*", pattern)
    pattern = re.sub(r"\*\[[^\]]*\]", "*", pattern)
    words = [re.sub(r"\*+", "*", pattern), *(f"size{sign_of}{number}k" for sign_of, number in sizes)]
    return sign + " ".join(words)
