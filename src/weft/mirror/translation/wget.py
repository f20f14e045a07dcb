"""wget's flags, and those of wget2 that concern recursion."""

from __future__ import annotations

import fnmatch
import re
from typing import Final

from weft.errors import BadInput, BadUrl
from weft.mirror.translation.row import Flags, Row, Translation, names_in, said, whole, words_of
from weft.regex import regex
from weft.url import canonicalize, host_of

DEFAULT_LEVEL: Final = 5
_WILD = regex(r"[*?\[\]]")


def _as(flag: str) -> object:
    return lambda value: [flag, value]


def _each(flag: str, form: str) -> object:
    return lambda value: [word for one in value.split(",") if one for word in (flag, form.format(one))]


def _row(names: str, way: str, make: object = None, *, value: bool = False, missing: bool = False) -> Row:
    return Row(names, way, make, is_missing=missing, takes_value=value)  # type: ignore[arg-type]


def _timeouts(value: str) -> Flags:
    return ["--connect-timeout", value, "--response-timeout", value, "--idle-timeout", value]


def _folders(value: str) -> Flags:
    return [] if value.startswith("-") else ["--cut-dirs", value]  # wget2 takes -1 for none


def _executed(value: str) -> Flags:
    return ["--ignore-robots"] if re.fullmatch(r"robots\s*=\s*(?:off|no|0)", value.strip(), re.IGNORECASE) else []


# What needs the other flags, too, is made by `_Wget`: -l, -A, -R, -D, -H and their like have no `make` here.
ROWS: Final = (
    _row("-r, --recursive", "a mirror is recursive"),
    _row("-l, --level", "--depth N; wget's own default is 5, weft's is no limit", value=True),
    _row("-m, --mirror", "what weft mirror does; later runs with --update"),
    _row("-k, --convert-links", "always: links to what was saved are relative, all others absolute"),
    _row("--convert-file-only", "weft changes whole links, so that they lead somewhere", missing=True),
    _row("-K, --backup-converted", "the archive in DIR/.weft has each answer as it came"),
    _row("--backups", "--keep-versions N", _as("--keep-versions"), value=True),
    _row("-p, --page-requisites", "always; from other hosts, too, unless --no-requisites-anywhere says otherwise"),
    _row("-E, --adjust-extension", "always"),
    _row("--delete-after", "`weft crawl` visits without making files", missing=True),
    _row("--spider", "`weft crawl` visits without making files, and `weft site` lists broken links", missing=True),
    _row("--strict-comments", "weft reads comments as browsers do", missing=True),
    _row("-A, --accept", "--accept PATTERN", value=True),
    _row("-R, --reject", "--exclude PATTERN; not even to be read for links", value=True),
    _row("--accept-regex", "--include 're:…'", value=True),
    _row("--reject-regex", "--exclude 're:…'", value=True),
    _row("--regex-type", "regular expressions are Python's, which are nearly those of PCRE", value=True),
    _row("--ignore-case", "'re:(?i)…' as the pattern"),
    _row("-D, --domains", "--host '*.NAME', once for each", value=True),
    _row("--exclude-domains", "--exclude with a pattern for the host", value=True),
    _row("-H, --span-hosts", "--scope any; with -D, --host for each domain"),
    _row("-I, --include-directories", "--include '/DIR/*'", value=True),
    _row("-X, --exclude-directories", "--exclude '/DIR/*'", value=True),
    _row("-np, --no-parent", "--scope prefix", lambda _: ["--scope", "prefix"]),
    _row("-L, --relative", "how a link is written says nothing about where it leads: --scope says that", missing=True),
    _row("--follow-ftp", "weft follows no link from the web to FTP; ftp:// URLs may be given", missing=True),
    _row("--follow-tags", "--follow-tags TAGS", _as("--follow-tags"), value=True),
    _row("--ignore-tags", "--ignore-tags TAGS", _as("--ignore-tags"), value=True),
    _row("--https-only", "--https-only", lambda _: ["--https-only"]),
    _row("--trust-server-names", "always: a file has the name of the URL that answered, not of one that redirects"),
    _row("--content-disposition", "always"),
    _row("--content-on-error", "--accept 'status:*', or beside other patterns, 'status:4*' and 'status:5*'"),
    _row("-nd, --no-directories", "--flat", lambda _: ["--flat"]),
    _row("-nH, --no-host-directories", "--no-host-folder", lambda _: ["--no-host-folder"]),
    _row("-x, --force-directories", "always"),
    _row("--cut-dirs", "--cut-dirs N", _folders, value=True),
    _row("--protocol-directories", "http and https are one site, in one folder", missing=True),
    _row("--default-page", "a page without a name is index.html", value=True, missing=True),
    _row("--restrict-file-names", "names are such that any system takes them", value=True, missing=True),
    _row("-P, --directory-prefix", "-o DIR", _as("-o"), value=True),
    _row("-i, --input-file", "--seeds FILE", _as("--seeds"), value=True),
    _row("-N, --timestamping", "--update asks for every page again, and transfers what has changed"),
    _row("-nc, --no-clobber", "what is there is not asked for again, unless --update says so"),
    _row("-c, --continue", "the same command goes on after a stop of any kind"),
    _row("--no-if-modified-since", "weft asks by ETag and Last-Modified", missing=True),
    _row("--no-use-server-timestamps", "files have the server's times", missing=True),
    _row("--unlink", "always: a file is written under another name, then renamed"),
    _row("--rejected-log", "always: DIR/.weft/refused.jsonl", value=True),
    _row("-e, --execute", "robots=off is --ignore-robots; nothing else has a word here", _executed, value=True),
    _row("-Q, --quota", "--max-bytes SIZE", _as("--max-bytes"), value=True),
    _row("-w, --wait", "--delay TIME", _as("--delay"), value=True),
    _row("--random-wait", "weft keeps to the delay, and waits longer for hosts that are slow", missing=True),
    _row("--limit-rate", "--bandwidth SIZE", _as("--bandwidth"), value=True),
    _row("-t, --tries", "what fails is tried again by docs/outcomes.md", value=True, missing=True),
    _row("-T, --timeout", "--connect-timeout, --response-timeout and --idle-timeout", _timeouts, value=True),
    _row("--connect-timeout", "--connect-timeout TIME", _as("--connect-timeout"), value=True),
    _row("--read-timeout", "--idle-timeout TIME", _as("--idle-timeout"), value=True),
    _row("--max-redirect", "--max-redirects N", _as("--max-redirects"), value=True),
    _row("-U, --user-agent", "--user-agent TEXT", _as("--user-agent"), value=True),
    _row("--header", "--header 'NAME: VALUE'", _as("--header"), value=True),
    _row("--referer", "--header 'Referer: URL'", lambda value: ["--header", f"Referer: {value}"], value=True),
    _row("--load-cookies", "--cookies FILE", _as("--cookies"), value=True),
    _row("--no-cookies", "weft keeps none unless --keep-cookies or --cookies says so"),
    _row("--user, --http-user, --ftp-user", "--auth HOST=USER:PASSWORD", value=True),
    _row("--password, --http-password, --ftp-password", "--auth HOST=USER:PASSWORD", value=True),
    _row("--no-check-certificate", "--insecure HOST"),
    _row("--ca-certificate", "--ca-file FILE", _as("--ca-file"), value=True),
    _row("--bind-address", "--bind ADDRESS", _as("--bind"), value=True),
    _row("-q, --quiet", "--quiet", lambda _: ["--quiet"]),
    _row("--warc-file", "always: the archive in DIR/.weft is WARC", value=True),
    _row("--warc-max-size", "--warc-size SIZE", _as("--warc-size"), value=True),
    # Of wget2 alone.
    _row("--filter-mime-type", "--accept 'type:…', and --exclude 'type:…' for those with a !", value=True),
    _row("--cut-url-get-vars", "--strip-query '*'", lambda _: ["--strip-query", "*"]),
    _row("--cut-file-get-vars", "--no-query-names", lambda _: ["--no-query-names"]),
    _row("--robots", "robots.txt is obeyed", lambda value: _executed(f"robots={value}"), value=True),
    _row("--no-robots", "--ignore-robots", lambda _: ["--ignore-robots"]),
    _row("--follow-sitemaps", "--sitemap", lambda _: ["--sitemap"]),
    _row("--no-follow-sitemaps", "weft looks for none unless --sitemap says so"),
    _row("--max-threads", "--connections N", _as("--connections"), value=True),
    _row("--save-content-on", "--accept 'status:…'", value=True),
    _row("--download-attr", "a file has the name of its URL", missing=True),
)  # fmt: skip

# Flags of `wget --help` that do not concern recursion, nor what is said to weft instead.
NOT_RECURSIVE: Final = names_in("""
    -V --version -h --help -b --background -o --output-file -a --append-output -d --debug -v --verbose -nv
    --no-verbose --report-speed -F --force-html -B --base --config --no-config --retry-connrefused
    --retry-on-http-error -O --output-document --no-netrc --start-pos --progress --show-progress -S
    --server-response --dns-timeout --waitretry --no-proxy --no-dns-cache -4 --inet4-only -6 --inet6-only
    --prefer-family --ask-password --use-askpass --no-iri --iri --local-encoding --remote-encoding --xattr
    --no-cache --ignore-length --compression --proxy-user --proxy-password --save-headers --no-http-keep-alive
    --save-cookies --keep-session-cookies --post-data --post-file --method --body-data --body-file
    --auth-no-challenge --secure-protocol --certificate --certificate-type --private-key --private-key-type
    --ca-directory --crl-file --pinnedpubkey --random-file --egd-file --ciphers --no-hsts --hsts-file
    --no-remove-listing --no-glob --no-passive-ftp --preserve-permissions --retr-symlinks --ftps-implicit
    --ftps-resume-ssl --ftps-clear-data-connection --ftps-fallback-to-ftp --warc-header --warc-cdx --warc-dedup
    --no-warc-compression --no-warc-digests --no-warc-keep-log --warc-tempdir --bind-dns-address --dns-servers
    --metalink-over-http --preferred-location --input-metalink --metalink-index --keep-badhash
    --no-ocsp
""")
_WITH_VALUE: Final = names_in("""
    -o --output-file -a --append-output --report-speed -B --base --config --retry-on-http-error -O --output-document
    --start-pos --progress --dns-timeout --waitretry --prefer-family --use-askpass --local-encoding
    --remote-encoding --compression --proxy-user --proxy-password --save-cookies --post-data --post-file --method
    --body-data --body-file --secure-protocol --certificate --certificate-type --private-key --private-key-type
    --ca-directory --crl-file --pinnedpubkey --random-file --egd-file --ciphers --hsts-file --warc-header
    --warc-dedup --warc-tempdir --bind-dns-address --dns-servers --preferred-location --input-metalink
    --metalink-index
""")
_BY_NAME: Final = {name: row for row in ROWS for name in row.all_names}
_LONG: Final = sorted(name for name in (*_BY_NAME, *NOT_RECURSIVE) if name.startswith("--"))
_TWO_LETTERS: Final = {name[2] for name in (*_BY_NAME, *NOT_RECURSIVE) if re.fullmatch("-n[A-Za-z]", name)}


def from_wget(text: str) -> Translation:
    """What weft is told for a command line of wget or wget2; BadInput for what is none."""
    return _Wget(words_of(text, "wget")).translation()


class _Wget:
    def __init__(self, words: list[str]) -> None:
        self._words = words[::-1]
        self._urls: list[str] = []
        self._given: list[tuple[str, str]] = []  # flag as its row names it first, and value
        while self._words:
            word = self._words.pop()
            if word == "--":
                self._urls += self._words[::-1]
                break
            if word.startswith("--"):
                self._take_long(word)
            elif word.startswith("-") and len(word) > 1:
                self._take_short(word[1:])
            else:
                self._urls.append(word)

    def _take_long(self, word: str) -> None:
        name, equals, value = word.partition("=")
        if name not in _LONG:
            fitting = [one for one in _LONG if one.startswith(name)]
            if len(fitting) != 1:
                raise BadInput(
                    f"wget has no flag {name[:100]}" if not fitting else f"{name} may be {', '.join(fitting)}"
                )
            name = fitting[0]
        self._take(name, value if equals else None)

    def _take_short(self, letters: str) -> None:
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter == "n":
                for second in letters:
                    if second not in _TWO_LETTERS:
                        raise BadInput(f"wget has no flag -n{second}")
                    self._take(f"-n{second}", None)
                return
            name = f"-{letter}"
            if name not in _BY_NAME and name not in NOT_RECURSIVE:
                raise BadInput(f"wget has no flag {name}")
            if _needs_value(name):
                self._take(name, letters.removeprefix("=") or None)
                return
            self._take(name, None)

    def _take(self, name: str, value: str | None) -> None:
        if _needs_value(name) and value is None:
            if not self._words:
                raise BadInput(f"{name} needs a value")
            value = self._words.pop()
        row = _BY_NAME.get(name)
        self._given.append((name if row is None else row.all_names[0], value or ""))

    def _values(self, name: str) -> list[str]:
        return [value for given, value in self._given if given == name]

    def _has(self, name: str) -> bool:
        return any(given == name for given, _ in self._given)

    def translation(self) -> Translation:
        flags: Flags = [*self._depth(), *self._hosts(), *self._patterns(), *self._secrets()]
        remarks: list[str] = []
        for name, value in self._given:
            row = _BY_NAME.get(name)
            if row is None:
                remarks.append(f"{name}: no matter of what is mirrored; `weft mirror --help` has weft's own flags")
                continue
            made = row.make(value) if row.make is not None else []
            flags += made
            if row.is_missing:
                remarks.append(f"{name}: not possible: {row.way}")
            elif not made and name not in _MADE_HERE:
                remarks.append(said(row, name))
        if not self._urls and not self._has("-i"):
            raise BadInput("the command line names no URL")
        return Translation(flags, self._urls, list(dict.fromkeys(remarks)))

    def _depth(self) -> Flags:
        levels = self._values("-l")
        if levels:
            return [] if levels[-1] in ("inf", "0") else ["--depth", str(whole(levels[-1], "-l"))]
        if self._has("-m"):
            return []
        return ["--depth", str(DEFAULT_LEVEL if self._has("-r") else 0)]

    def _hosts(self) -> Flags:
        if not self._has("-H"):
            return ["--no-requisites-anywhere"]  # wget takes nothing from other hosts then
        domains = [one for value in self._values("-D") for one in value.split(",") if one]
        if not domains:
            return ["--scope", "any"]
        return [word for one in domains for word in ("--host", f"*.{one.lstrip('.')}")]

    def _patterns(self) -> Flags:
        case = "(?i)" if self._has("--ignore-case") else ""
        flags: Flags = []
        for flag, name in (("--accept", "-A"), ("--exclude", "-R")):
            for one in (one for value in self._values(name) for one in value.split(",") if one):
                flags += [flag, _name_pattern(one, case)]
        for flag, name in (("--include", "--accept-regex"), ("--exclude", "--reject-regex")):
            flags += [word for value in self._values(name) for word in (flag, f"re:{case}{value}")]
        for flag, name in (("--include", "-I"), ("--exclude", "-X")):
            for one in (one for value in self._values(name) for one in value.split(",") if one):
                flags += [flag, f"/{one.strip('/')}/*"]
        for one in (one for value in self._values("--exclude-domains") for one in value.split(",") if one):
            flags += ["--exclude", rf"re:^[a-z]+://(?:[^/]*\.)?{re.escape(one.lstrip('.'))}[:/]"]
        types = [one for value in self._values("--filter-mime-type") for one in value.split(",") if one]
        flags += _type_patterns(types)
        statuses = [one for value in self._values("--save-content-on") for one in value.split(",") if one]
        flags += _status_patterns(statuses)
        if self._has("--content-on-error"):
            all_errors = ["--accept", "status:4*", "--accept", "status:5*"]
            flags += all_errors if "--accept" in flags else ["--accept", "status:*"]
        return flags

    def _secrets(self) -> Flags:
        hosts = dict.fromkeys(map(_host, self._urls))
        flags: Flags = []
        for user, password in zip(self._values("--user")[-1:], self._values("--password")[-1:] or [""], strict=False):
            flags += [word for host in hosts if host for word in ("--auth", f"{host}={user}:{password}")]
        if self._has("--no-check-certificate"):
            flags += [word for host in hosts if host for word in ("--insecure", host)]
        return flags


_MADE_HERE: Final = names_in("""
    -l -A -R --accept-regex --reject-regex --ignore-case -D -H -I -X --exclude-domains --user --password
    --no-check-certificate --filter-mime-type --content-on-error --save-content-on
""")


def _host(url: str) -> str:
    try:
        return host_of(canonicalize(url if "://" in url else f"http://{url}"))
    except BadUrl:
        return ""


def _needs_value(name: str) -> bool:
    return name in _WITH_VALUE or (name in _BY_NAME and _BY_NAME[name].takes_value)


def _name_pattern(one: str, case: str) -> str:
    """wget looks at the name of a file: by its end, or as a whole where there is a wildcard."""
    if not _WILD.search(one):
        return f"re:{case}{re.escape(one)}$" if case else f"*{one}"
    inner = fnmatch.translate(one).removeprefix("(?s:").removesuffix(")\\Z").replace(".*", "[^/]*")
    return f"re:{case}/{inner}$"


def _type_patterns(types: list[str]) -> Flags:
    """wget2 saves by type, and reads pages for links whether they are saved or not."""
    wanted = [one for one in types if not one.startswith("!")]
    unwanted = [one[1:] for one in types if one.startswith("!")]
    accepted = [] if "*" in wanted else wanted
    return [
        *(word for one in accepted for word in ("--accept", f"type:{one}")),
        *(word for one in unwanted for word in ("--exclude", f"type:{one}")),
    ]


def _status_patterns(statuses: list[str]) -> Flags:
    """wget2 has a * for all, and a ! for all but one."""
    wanted = [one for one in statuses if not one.startswith("!")]
    unwanted = [f"status:{one}" for one in statuses if one.startswith("!")]
    if unwanted and "*" in wanted:
        return ["--accept", " ".join(unwanted)]
    return [word for one in wanted for word in ("--accept", f"status:{one}")]
