"""`weft pack`, `weft unpack`, `weft verify`: a mirror in one file, carried into a network that is cut off."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import DownloadColumn, Progress, SpinnerColumn, TransferSpeedColumn

from weft.cli.exits import Exit
from weft.errors import BadInput
from weft.pack import DamagedPack, Trust, Unpacked, Verdict, Wanted, pack_folder, verify_folder, verify_pack
from weft.pack import unpack as unpack_pack
from weft.stats.verdict import counted

Key = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Refuse it unless it is signed with this public key, of ssh or of minisign."),
]
AllowedSigners = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Refuse it unless it is signed by one of these, as ssh-keygen lists them."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def pack(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A mirror, or any folder of files.")],
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The pack: a zip file.")],
    since: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only what changed since this earlier pack, or its manifest.")
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Sign the manifest with this secret key, of ssh or of minisign.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="Where the files come from, for the manifest. [repeatable]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Put a mirror into one zip file, with a manifest of checksums.

    What is in DIR/.weft is left out. `weft verify` and `weft unpack` check the pack on the other side, without a
    network. A crawl goes as WACZ: `weft export DIR --to wacz`.

    Exit codes: 0 done; 2 bad input; 5 disk full; 6 the folder cannot be used; 7 the earlier pack is damaged.
    """
    wanted = Wanted(since=since, signing_key=sign, sources=source or (), replaces=force)
    with _told_when_damaged(as_json), _progress(quiet) as advance:
        packed = pack_folder(folder, out, wanted, advance)
    if as_json:
        _print_json({"file": str(out), "pack_bytes": packed.pack_bytes, "signature": packed.signed_by}, packed.header)
    elif not quiet:
        header = packed.header
        counts = f"{header.new:,} new, {header.changed:,} changed and {header.removed:,} removed of "
        print(f"{out}: {counts if since else ''}{_files(header)}, in {counted(packed.pack_bytes, 'byte')}.")


def unpack(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A pack.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder; for changes, the one that they change.")],
    key: Key = None,
    allowed_signers: AllowedSigners = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Check a pack, and unpack it: all of it, or nothing.

    A pack of changes is refused unless DIR holds exactly what the earlier pack held.

    Exit codes: 0 done; 2 bad input; 5 disk full; 6 the folder cannot be used, or is in another state; 7 the pack is
    damaged, or not signed as asked.
    """
    with _told_when_damaged(as_json), _progress(quiet) as advance:
        done = unpack_pack(path, folder, _trust(key, allowed_signers), advance)
    if as_json:
        _print_json({"folder": str(folder), "signed_by": done.signed_by}, done.header)
    elif not quiet:
        print(f"{folder}: {_files(done.header)}, as packed at {done.header.made_at}. {_signed(done)}")


def verify(
    path: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A pack, or a folder that was unpacked.")],
    key: Key = None,
    allowed_signers: AllowedSigners = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Check that a pack, or a folder made from one, is intact, by its manifest.

    Each file's checksum is compared, none may be missing and none may be there besides.

    Exit codes: 0 it is; 2 bad input; 6 the folder has no manifest; 7 it is not: damaged, or not signed as asked.
    """
    looked_at = verify_folder if path.is_dir() else verify_pack
    with _told_when_damaged(as_json), _progress(quiet) as advance:
        verdict = looked_at(path, _trust(key, allowed_signers), advance)
    if not verdict.is_sound:
        _tell_damage([(problem.file, problem.what) for problem in verdict.problems], as_json)
    if as_json:
        facts = {"ok": True, "signatures": verdict.signatures, "signed_by": verdict.signed_by, "problems": []}
        _print_json(facts, verdict.header)
    elif not quiet:
        print(
            f"{path} is as its manifest of {verdict.header.made_at} says: {_files(verdict.header)}. {_signed(verdict)}"
        )


def _trust(key: Path | None, allowed_signers: Path | None) -> Trust:
    if key and allowed_signers:
        raise BadInput("--key and --allowed-signers cannot both be meant: give one of them")
    return Trust(key, allowed_signers)


def _files(header: Any) -> str:
    return f"{counted(header.files, 'file')} of {counted(header.bytes, 'byte')}"


def _signed(verdict: Verdict | Unpacked) -> str:
    if verdict.signed_by:
        return verdict.signed_by
    return "Its signature was not checked: --key does." if verdict.signatures else "It is not signed."


def _print_json(facts: dict[str, Any], header: Any) -> None:
    print(msgspec.json.encode(facts | msgspec.to_builtins(header)).decode())


@contextmanager
def _told_when_damaged(as_json: bool) -> Iterator[None]:
    try:
        yield
    except DamagedPack as error:
        _tell_damage([(error.file, error.what)], as_json)


def _tell_damage(problems: list[tuple[str, str]], as_json: bool) -> None:
    """End with a sentence that names the first file that differs; JSON has them all."""
    if as_json:
        told = [{"file": file, "what": what} for file, what in problems]
        print(msgspec.json.encode({"ok": False, "problems": told}).decode())
    file, what = problems[0]
    others = f" (and {len(problems) - 1:,} other files)" if len(problems) > 1 else ""
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"weft: {file}: {what}{others}", markup=False)
    raise typer.Exit(Exit.DAMAGED)


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show on standard error how many bytes were read."""
    if quiet or not sys.stderr.isatty():
        yield lambda amount: None
        return
    with Progress(
        SpinnerColumn(), DownloadColumn(), TransferSpeedColumn(), console=Console(stderr=True), transient=True
    ) as shown:
        task = shown.add_task("", total=None)
        yield lambda amount: shown.advance(task, amount)
