"""Real FTP servers and proxies on this machine, one process each, as tests/install-servers has put them there."""

from __future__ import annotations

import grp
import os
import pwd
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ADDRESS = "127.0.0.1"
USER, PASSWORD = "me", "secret"
# openssl passwd -1 -salt weft secret
PASSWORD_HASH = "$1$weft$D2Su73IzIKOJr6W.wm.jX."

SERVERS = Path(__file__).parents[2] / ".servers"
_START_S = 60.0


def free_port() -> int:
    """A port where nobody listens now."""
    with socket.socket() as sock:
        sock.bind((ADDRESS, 0))
        port: int = sock.getsockname()[1]
        return port


@contextmanager
def vsftpd(files: Path, folder: Path, *, settings: str = "") -> Iterator[int]:
    """A server that lets anybody see these files, and knows no MLSD. Gives its port."""
    port = free_port()
    (folder / "nothing").mkdir()
    config = folder / "vsftpd.conf"
    config.write_text(
        f"listen=YES\nlisten_address={ADDRESS}\nlisten_port={port}\nbackground=NO\n"
        f"run_as_launching_user=YES\nftp_username={_user()}\nsecure_chroot_dir={folder / 'nothing'}\n"
        f"anonymous_enable=YES\nlocal_enable=NO\nanon_root={files}\nanon_world_readable_only=NO\nxferlog_enable=NO\nseccomp_sandbox=NO\n{settings}"
    )
    config.chmod(0o600)
    with _running(["usr/sbin/vsftpd", str(config)], port, folder):
        yield port


@contextmanager
def proftpd(files: Path, folder: Path, *, settings: str = "") -> Iterator[int]:
    """A server that wants a password, and knows MLSD. Gives its port."""
    port = free_port()
    passwords = folder / "passwords"
    passwords.write_text(f"{USER}:{PASSWORD_HASH}:{os.getuid()}:{os.getgid()}::{files}:/bin/sh\n")
    passwords.chmod(0o600)
    config = folder / "proftpd.conf"
    config.write_text(
        f"ServerType standalone\nDefaultAddress {ADDRESS}\nPort {port}\nUseIPv6 off\nUser {_user()}\n"
        f"Group {grp.getgrgid(os.getgid()).gr_name}\nRootLogin on\nRequireValidShell off\nUseReverseDNS off\n"
        f"AuthUserFile {passwords}\nAuthOrder mod_auth_file.c\nAuthPAM off\nDelayEngine off\n"
        f"PidFile {folder / 'proftpd.pid'}\nScoreboardFile none\nWtmpLog off\nTransferLog none\n"
        f"SystemLog {folder / 'proftpd.log'}\n{settings}"
    )
    with _running(["usr/sbin/proftpd", "-n", "-q", "-c", str(config)], port, folder):
        yield port


@contextmanager
def tinyproxy(folder: Path, *, password: str = "") -> Iterator[int]:
    """An HTTP proxy. Gives its port."""
    port = free_port()
    config = folder / "tinyproxy.conf"
    login = f"BasicAuth {USER} {password}\n" if password else ""
    config.write_text(f'Listen {ADDRESS}\nPort {port}\nTimeout 20\nMaxClients 20\nLogFile "{folder / "log"}"\n{login}')
    with _running(["usr/bin/tinyproxy", "-d", "-c", str(config)], port, folder):
        yield port


@contextmanager
def microsocks(folder: Path, *, password: str = "") -> Iterator[int]:
    """A SOCKS5 proxy. Gives its port."""
    port = free_port()
    login = ["-u", USER, "-P", password] if password else []
    with _running(["usr/bin/microsocks", "-i", ADDRESS, "-p", str(port), *login], port, folder):
        yield port


@contextmanager
def _running(command: list[str], port: int, folder: Path) -> Iterator[None]:
    program = SERVERS / command[0]
    assert program.exists(), f"{command[0]} is not there: run tests/install-servers"
    libraries = ":".join(str(path) for path in (SERVERS / "usr/lib").glob("*-linux-*"))
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            [str(program), *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, "LD_LIBRARY_PATH": libraries},
        )
    try:
        _await_listener(process, port, folder / "output")
        yield
    finally:
        process.terminate()
        process.wait(10)


def _await_listener(process: subprocess.Popen[bytes], port: int, output: Path) -> None:
    deadline_s = time.monotonic() + _START_S
    while time.monotonic() < deadline_s and process.poll() is None:
        with socket.socket() as sock:
            if sock.connect_ex((ADDRESS, port)) == 0:
                return
        time.sleep(0.01)
    raise AssertionError(f"{process.args!r} does not listen: {output.read_text(errors='replace')}")


def _user() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
