"""Builds docs/Containerfile without a container engine: each stage is a folder made by debootstrap, each RUN a chroot.

Run by `make test-container`, as root. Where packages come from is what this machine's own apt and pip say.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parent.parent
FILE = PROJECT / "docs" / "Containerfile"
SUITES = {"docker.io/library/debian:bookworm-slim": "bookworm"}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# How this machine reaches packages; folders of its own are shown inside.
OUTSIDE = re.compile(r"(PIP_\w+|https?_proxy|no_proxy)", re.IGNORECASE)
AUTHORITIES = "/etc/outside-authorities.crt"  # those of this machine: its own installs Debian's
SHOWN = ("/opt/wheels", "/opt/pypi", "/opt/pypi-more")
CHECKS = (["--version"], ["demo", "--hosts", "6", "--pages", "30", "-o", "/crawls/demo"])


def instructions(text: str) -> list[tuple[str, str]]:
    """Word and rest of each line; those that end with a backslash go on in the next."""
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


class Stage:
    """A root folder that is being built."""

    def __init__(self, root: Path, base: Path) -> None:
        self.root, self.user, self.folder = root, "root", "/"
        shutil.rmtree(root, ignore_errors=True)
        do("cp", "-a", str(base), str(root))
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", root / "etc" / name)

    def copy(self, sources: list[Path], target: str) -> None:
        """COPY: of a folder its content, as Containerfiles have it."""
        place = self.root / target.lstrip("/")
        for source in sources:
            if source.is_dir():
                shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, place)

    def run(self, *command: str) -> None:
        """In mounts and processes of its own, which end with it."""
        inside = [
            f"{name}={value}" for name, value in os.environ.items() if OUTSIDE.fullmatch(name) and name != "PIP_CERT"
        ]
        binds = ""
        for folder in SHOWN:
            if Path(folder).is_dir():
                binds += f"mkdir -p {self.root}{folder} && mount --rbind {folder} {self.root}{folder} && "
        script = f'{binds}mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$@"'
        user = [] if self.user == "root" else [f"--userspec={self.user}"]
        do(
            *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, str(self.root)),
            *(*user, str(self.root), "env", "-i", f"PATH={PATH}", "DEBIAN_FRONTEND=noninteractive", "HOME=/tmp"),
            *(*inside, "sh", "-c", f'cd {shlex.quote(self.folder)} && exec "$@"', "sh", *command),
        )


def do(*command: str) -> None:
    subprocess.run(command, check=True)


def base_of(image: str, work: Path) -> Path:
    """The folder that stands for an image of Debian's."""
    root = work / SUITES[image]
    if not (work / f"{root.name}.ready").exists():
        shutil.rmtree(root, ignore_errors=True)
        wanted = ("Origin: Debian", "Label: Debian", "Component: main")
        found = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(REPO_URI)", *wanted], capture_output=True, text=True, check=True
        )
        do("debootstrap", "--variant=minbase", root.name, str(root), found.stdout.split()[0])
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / AUTHORITIES.lstrip("/"))
        apt = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True, check=True).stdout
        (root / "etc" / "apt" / "apt.conf.d" / "90outside").write_text(apt)
        pip = subprocess.run(["python3", "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
        rows = re.findall(r"^global\.([\w-]+)='(.*)'$", pip, re.MULTILINE)
        settings = "".join(f"{key} = {value}\n" for key, value in rows if key != "cert")
        (root / "etc" / "pip.conf").write_text(f"[global]\n{settings}cert = {AUTHORITIES}\n")
        (work / f"{root.name}.ready").touch()
    return root


def build(work: Path) -> None:
    """All stages, and the program of the last one tried."""
    stages: dict[str, Stage] = {}
    stage: Stage | None = None
    entry: list[str] = []
    for word, rest in instructions(FILE.read_text()):
        print(f"{word} {rest}", flush=True)
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            name = name or "last"
            stage = stages[name] = Stage(work / f"stage-{name}", base_of(image, work))
            continue
        assert stage is not None
        match word:
            case "RUN":
                stage.run("sh", "-c", rest)
            case "COPY":
                *sources, target = shlex.split(rest)
                origin = PROJECT
                if sources[0].startswith("--from="):
                    origin = stages[sources.pop(0).removeprefix("--from=")].root
                stage.copy([origin / source.lstrip("/") for source in sources], target)
            case "USER":
                stage.user = rest
            case "WORKDIR":
                stage.folder = rest
            case "ENTRYPOINT":
                entry = json.loads(rest)
            case "VOLUME" | "STOPSIGNAL":
                pass
            case _:
                raise SystemExit(f"tests/containerfile.py does not know {word}")
    assert stage is not None
    for arguments in CHECKS:
        stage.run(*entry, *arguments)


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit(
            "tests/containerfile.py: only root can make a system of its own; say sudo make test-container."
        )
    folder = Path(sys.argv[1]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    build(folder)
