"""wget's and HTTrack's command lines in weft's words; every flag of theirs has its line in the docs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import typer.main
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.running import Finished
from weft.errors import BadInput
from weft.mirror.translation import Row, from_httrack, from_wget, httrack, wget

DOCS = Path(__file__).parents[2] / "docs" / "mirror.md"


def flags(text: str, program: str = "wget") -> str:
    made = (from_wget if program == "wget" else from_httrack)(text)
    return " ".join(made.flags)


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("wget -mkEp https://e.org/", "--no-requisites-anywhere"),
        ("wget -r https://e.org/", "--depth 5 --no-requisites-anywhere"),
        ("wget -p https://e.org/", "--depth 0 --no-requisites-anywhere"),
        ("wget -r -l inf https://e.org/", "--no-requisites-anywhere"),
        ("wget -rl3 https://e.org/", "--depth 3 --no-requisites-anywhere"),
        ("/usr/bin/wget2 -rnp -nH -nd https://e.org/", "--depth 5 --no-requisites-anywhere --scope prefix "
         "--no-host-folder --flat"),
        ("wget -rnHpd https://e.org/", "--depth 5 --no-requisites-anywhere --no-host-folder --scope prefix --flat"),
        ("-m https://e.org/", "--no-requisites-anywhere"),
        ("wget -mH https://e.org/", "--scope any"),
        ("wget -mHD a.org,.b.org https://e.org/", "--host *.a.org --host *.b.org"),
        ("wget -m -A jpg,*pic_[ab]* https://e.org/", "--no-requisites-anywhere --accept *jpg "
         r"--accept re:/(?>[^/]*?pic_[ab])[^/]*$"),
        ("wget -m -R .zip --ignore-case https://e.org/", r"--no-requisites-anywhere --exclude re:(?i)\.zip$"),
        ("wget -m -I /a,/b -X /a/c https://e.org/", "--no-requisites-anywhere --include /a/* --include /b/* "
         "--exclude /a/c/*"),
        ("wget -m --accept-regex=x --reject-regex y https://e.org/", "--no-requisites-anywhere --include re:x "
         "--exclude re:y"),
        ("wget -m -e robots=off https://e.org/", "--no-requisites-anywhere --ignore-robots"),
        ("wget -m --no-rob https://e.org/", "--no-requisites-anywhere --ignore-robots"),  # by the start of its name
        ("wget -m --user=u --password=p https://e.org/", "--no-requisites-anywhere --auth e.org=u:p"),
        ("wget -m --filter-mime-type 'image/*,!image/png' https://e.org/", "--no-requisites-anywhere "
         "--accept type:image/* --exclude type:image/png"),
        ("wget -m --filter-mime-type '*,!image/png' https://e.org/", "--no-requisites-anywhere "
         "--exclude type:image/png"),
        ("wget -m intranet", "--no-requisites-anywhere"),
        ("wget -m --content-on-error https://e.org/", "--no-requisites-anywhere --accept status:*"),
        ("wget -m -A pdf --content-on-error https://e.org/", "--no-requisites-anywhere --accept *pdf "
         "--accept status:4* --accept status:5*"),
        ("wget -m --save-content-on '*,!200,!404' https://e.org/", "--no-requisites-anywhere "
         "--accept status:!200 status:!404"),
        ("wget -m --save-content-on 404,500 https://e.org/", "--no-requisites-anywhere --accept status:404 "
         "--accept status:500"),
        ("wget -m -i list.txt", "--no-requisites-anywhere --seeds list.txt"),
    ],
)  # fmt: skip
def test_a_command_of_wget_becomes_one_of_weft(command: str, made: str) -> None:
    assert flags(command) == made


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("httrack https://e.org/docs/", "--scope prefix --no-requisites-anywhere"),
        ("httrack e.org -r3%e1c8 -n", "--scope prefix --depth 2 --other-depth 1 --connections 8 --near"),
        ("httrack e.org --depth=3 -e", "--depth 2 --scope any --no-requisites-anywhere"),
        ("httrack e.org '-*' '+e.org/*.pdf' '-mime:video/*'", "--scope prefix --rule -* --rule +e.org/*.pdf "
         "--rule -type:video/* --no-requisites-anywhere"),
        ("httrack e.org '-*.zip*[>10]' '+*[a-z].gif'", "--scope prefix --rule -*.zip* size>10k --rule +*.gif "
         "--no-requisites-anywhere"),
        ("httrack e.org -m5000 '-*.zip'", "--scope prefix --rule -size>5000 --rule +type:text/html --rule -*.zip "
         "--no-requisites-anywhere"),
        ("httrack e.org -O out,cache -s0 -%F '' -N100 -I0", "--scope prefix -o out --ignore-robots --no-host-folder "
         "--no-requisites-anywhere"),
        ("httrack e.org -F 'me/1' -%l de", "--scope prefix --user-agent me/1 --header Accept-Language: de "
         "--no-requisites-anywhere"),
    ],
)  # fmt: skip
def test_a_command_of_httrack_becomes_one_of_weft(command: str, made: str) -> None:
    assert flags(command, "httrack") == made


def test_what_weft_cannot_do_is_said_flag_by_flag() -> None:
    made = from_wget("wget -mk --random-wait -L --progress=dot https://e.org/ https://f.org/x")
    assert made.urls == ["https://e.org/", "https://f.org/x"]
    lines = made.text().splitlines()
    assert lines[0] == "weft mirror https://e.org/ https://f.org/x --no-requisites-anywhere"
    assert [line.split(":")[0] for line in lines[1:]] == ["# -m", "# -k", "# --random-wait", "# -L", "# --progress"]
    assert sum("not possible" in line for line in lines) == 2


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("", "a command line of wget is wanted"),
        ("wget", "a command line of wget is wanted"),
        ("wget -r", "names no URL"),
        ("wget --recurse-me x", "wget has no flag --recurse-me"),
        ("wget -y x", "wget has no flag -y"),
        ("wget -nz x", "wget has no flag -nz"),
        ("wget x -l", "-l needs a value"),
        ("wget -rl many x", "-l needs a whole number"),
        ("wget --no x", "--no may be "),
        ("wget 'x", "that is no command line"),
        ("curl -O https://e.org/", "that is a command line of curl, and one of wget is wanted"),
        ("/usr/bin/curl https://e.org/", "that is a command line of /usr/bin/curl"),
        ("curl.exe https://e.org/", "that is a command line of curl.exe"),
    ],
)
def test_what_is_no_command_of_wget_is_refused_with_a_sentence(command: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        from_wget(command)


@pytest.mark.parametrize(
    "command",
    ["httrack", "wget -m https://e.org/", "httrack -r3", "httrack x --depht=3", "httrack x -O", "httrack x -r3=x"],
)
def test_what_is_no_command_of_httrack_is_refused_with_a_sentence(command: str) -> None:
    with pytest.raises(BadInput):
        from_httrack(command)


@given(st.lists(st.text("-+rlnHAD*%=,0s[]'/ \u00e9", max_size=8), max_size=6).map(" ".join))
def test_any_text_is_a_command_or_refused(text: str) -> None:
    for read in (from_wget, from_httrack):
        try:
            assert read(text).text().startswith("weft mirror")
        except BadInput:
            continue


def test_what_is_made_are_flags_of_weft() -> None:
    from weft.cli.app import app

    command = typer.main.get_command(app)
    known = {name for one in command.get_command(None, "mirror").params for name in (*one.opts, *one.secondary_opts)}  # type: ignore[attr-defined]
    for row in (*wget.ROWS, *httrack.ROWS):
        made = row.make("1") if row.make is not None else []
        assert {word for word in made if word.startswith("-")} <= known, row
        named = set(re.findall(r"(?<![\w'])(--[a-z-]+|-o)\b", row.way)) if not row.is_missing else set()
        assert named <= known | {"--recursive"}, row


def test_the_command_prints_it_and_does_nothing_else(tmp_path: Path) -> None:
    done = Finished("mirror", "--from-wget", "wget -mkEp https://e.org/", cwd=tmp_path)
    assert (done.code, done.out.splitlines()[0]) == (0, "weft mirror https://e.org/ --no-requisites-anywhere")
    assert not list(tmp_path.iterdir())
    refused = Finished("mirror", "--from-httrack", "httrack -r3", cwd=tmp_path)
    assert refused.code == 2
    assert "names no URL" in refused.errors


# ── the docs ───────────────────────────────────────────────────────────────────────────────────────────


def line_of(row: Row) -> str:
    way = f"no: {row.way}" if row.is_missing else row.way
    return f"| `{row.names}` | {way} |".replace("'|'", "'\\|'")


@pytest.mark.parametrize("rows", [wget.ROWS, httrack.ROWS], ids=["wget", "httrack"])
def test_each_flag_has_its_line_in_the_docs(rows: tuple[Row, ...]) -> None:
    lines = DOCS.read_text().splitlines()
    assert [line_of(row) for row in rows if line_of(row) not in lines] == []


def _help(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return subprocess.run([path, "--help"], capture_output=True, text=True, check=False).stdout


def test_each_flag_that_wget_s_help_has_is_known() -> None:
    found = re.findall(r"^\s+(-\w{1,2})?,?\s+(--[a-z0-9-]+)", _help("wget"), re.MULTILINE)
    names = {name for pair in found for name in pair if name}
    known = {name for row in wget.ROWS for name in row.all_names} | wget.NOT_RECURSIVE
    assert len(names) > 150
    assert names - known == set()


def test_each_flag_that_httrack_s_help_has_is_known() -> None:
    text = _help("httrack").partition("Details:")[0]
    found = re.findall(
        r"^ {1,2}([%@#]?[A-Za-z!0-9])(?:N(?:,N2)?|\d)? .*?(?:\((--[a-z0-9-]+)[^()]*\))?$", text, re.MULTILINE
    )
    names = {name for short, long in found for name in (f"-{short}", long) if name}
    known = {name for row in httrack.ROWS for name in row.all_names} | httrack.NOT_RECURSIVE
    assert len(names) > 120
    assert names - known == set()
