"""The tests' side: make the namespaces, hand over the program, bring back what it said."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import trustme

from tests.namespace import quotes_site
from tests.namespace.place import ADDRESS, HOST, Papers

PROJECT = Path(__file__).parents[2]
WITHIN_S = 120


class NamespaceUnavailable(Exception):
    """This machine does not let a test make a network of its own."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that has ended."""

    code: int
    out: str
    errors: str
    requests: list[str]  # the paths that example.org was asked for


def run(*command: str, cwd: Path) -> Finished:
    """Run a command in a network in which there is nothing but example.org. `python` and `weft` are ours."""
    with tempfile.TemporaryDirectory(prefix="weft-namespace-") as name:
        folder = Path(name)
        papers = _write_papers(folder)
        code, out, errors = _run(
            [*_unshare(), sys.executable, "-m", "tests.namespace.inside", name, "env", "-C", str(cwd), *command],
            _environment(folder, papers),
        )
        if not papers.is_set_up.exists():
            raise NamespaceUnavailable(
                "The examples run in a network namespace that the test makes with `unshare --net --mount`, as root or "
                f"with --map-root-user, and this machine does not let it: {errors.strip() or f'exit code {code}'}"
            )
        requests = papers.requests.read_text().splitlines() if papers.requests.exists() else []
    return Finished(code, out, errors, requests)


def _unshare() -> list[str]:
    own_user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--net", "--mount", *own_user]


def _write_papers(folder: Path) -> Papers:
    papers = Papers(folder)
    papers.hosts.write_text(f"127.0.0.1 localhost\n{ADDRESS} {HOST} {quotes_site.HOST}\n")
    papers.resolv_conf.write_text("nameserver 127.0.0.1\n")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(papers.authority)
    authority.issue_cert(HOST, quotes_site.HOST).private_key_and_cert_chain_pem.write_to_path(papers.certificate)
    return papers


def _environment(folder: Path, papers: Papers) -> dict[str, str]:
    """That of somebody who has weft installed and nothing set."""
    commands = folder / "bin"
    commands.mkdir()
    for name, arguments in (("python", ""), ("weft", " -m weft")):
        script = commands / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
    return inherited | {
        "PATH": f"{commands}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYTHONPATH": str(PROJECT / "src"),
        "SSL_CERT_FILE": str(papers.authority),
        "XDG_CONFIG_HOME": os.devnull,
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }


def _run(command: list[str], environment: dict[str, str]) -> tuple[int, str, str]:
    try:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env=environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    except FileNotFoundError as error:
        raise NamespaceUnavailable(f"The examples need the command `unshare`, of util-linux: {error}") from error
    try:
        out, errors = process.communicate(timeout=WITHIN_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        raise AssertionError(f"{command} did not end within {WITHIN_S} s.\n{out}\n{errors}") from None
    return process.returncode, out, errors
