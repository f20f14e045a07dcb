"""Paper 5's figure 3: speed and memory over the number of files, weft beside wget, wget2 and HTTrack, three times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from bench.command import bench_scratch
from bench.mirror_runs import Run, described, run_mirror
from bench.mirror_sites import grown
from bench.mirror_tools import CONNECTIONS, mirror_tools
from bench.mirrors import SCALES
from bench.papers.charts import Lines, draw
from bench.papers.claims import Claim, Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, PaperPart
from bench.record import say
from bench.server import Weather

FAST, SLOW = SCALES["small"], (30, 100, 600)
TINY_FAST, TINY_SLOW = (100, 300), (10, 30)
LATENCY_MS = 50
MOST_S = 120.0
PLOT = "5-figure-3.svg"
MB = 1e6
FAST_NAME, SLOW_NAME = "fast", "slow"
Found = dict[tuple[str, str, int], list[Run]]  # network, tool, files: a run each


def run_paper_5(*, is_tiny: bool) -> PaperPart:
    """All tools on all sizes, on both networks."""
    found: Found = {}
    fast, slow = (TINY_FAST, TINY_SLOW) if is_tiny else (FAST, SLOW)
    with bench_scratch("paper-5", is_kept=False) as scratch:
        for network, sizes, weather in ((FAST_NAME, fast, None), (SLOW_NAME, slow, Weather(LATENCY_MS, LATENCY_MS))):
            for size in sizes:
                _mirror(found, network, size, weather, scratch)
    return shown(found)


def _mirror(found: Found, network: str, size: int, weather: Weather | None, scratch: Path) -> None:
    tools = [tool for tool in mirror_tools(is_late=weather is not None) if not tool.missing]
    with grown(size, scratch, weather) as site:
        for number in range(RUNS):
            say(f"paper 5, {network} network, {size:,} files: run {number + 1}")
            for tool in tools if number % 2 == 0 else tools[::-1]:
                folder = scratch / f"{network}-{size}-{tool.name}-{number}"
                run = run_mirror(site, tool, folder, MOST_S, is_judged=False)
                say(described(run))
                if not run.failure:
                    found.setdefault((network, tool.name, size), []).append(run)


def shown(found: Found) -> PaperPart:
    """Tables, plot and claims. Pure."""
    blocks, panels = [], []
    for network, title in ((FAST_NAME, "as fast as it goes"), (SLOW_NAME, f"each answer {LATENCY_MS} ms late")):
        sizes = sorted({size for name, _, size in found if name == network})
        blocks.append(f"**{title}**\n\n{markdown(_rows(found, network, sizes), KEY)}")
        panels.append(
            _lines(found, network, f"Paper 5, figure 3 (a): speed, {title}", "files/s", lambda run: run.pages_per_s)
        )
    panels.append(_lines(found, FAST_NAME, "Paper 5, figure 3 (b): peak memory, as fast as it goes", "MB",
                         lambda run: run.peak_memory_bytes / MB))  # fmt: skip
    speed, memory = speed_claims(found), memory_claims(found)
    block = "\n\n".join([picture(PLOT, "Speed and memory over the number of files"), *blocks,
                         markdown(claims_table([*speed, *memory]))])  # fmt: skip
    exhibits = [
        Exhibit(5, "figure 3 (a)", "speed over files: nearly five times wget's", verdict(speed)),
        Exhibit(5, "figure 3 (b)", "memory over files: a tenth of HTTrack's, level", verdict(memory)),
    ]
    figures: dict[str, object] = {"mirrors": [run for runs in found.values() for run in runs]}
    return PaperPart({"5-sizes": block}, [*speed, *memory], exhibits, {PLOT: draw(panels)}, figures)


KEY = (
    f"mean of {RUNS} runs, lowest to highest; whole commands, start included; {CONNECTIONS} connections, wget "
    "one; small pages on one host; weft ÷ it: files/s"
)


def _rows(found: Found, network: str, sizes: Sequence[int]) -> list[list[str]]:
    rows = [["tool", *(f"{size:,} files: files/s" for size in sizes), "weft ÷ it", "peak MB", "CPU ms a file"]]
    for tool in _tools(found, network):
        cells = []
        for size in sizes:
            speeds = [run.pages_per_s for run in found.get((network, tool, size), [])]
            cells.append(f"{fmean(speeds):,.0f} ({min(speeds):,.0f}–{max(speeds):,.0f})" if speeds else "–")
        last = found[network, tool, sizes[-1]]
        ahead = _mean(found, network, "weft", sizes[-1]) / _mean(found, network, tool, sizes[-1])
        peaks = " → ".join(
            f"{max(run.peak_memory_bytes for run in found[network, tool, size]) / MB:.0f}"
            for size in (sizes[0], sizes[-1])
        )
        rows.append([tool, *cells, f"{ahead:.1f}", peaks, f"{fmean(run.cpu_ms for run in last):.2f}"])
    return rows


def speed_claims(found: Found) -> list[Claim]:
    """The paper: nearly five times wget's speed, once there are more than ten files."""
    fast, slow = _largest(found, FAST_NAME), _largest(found, SLOW_NAME)
    return [
        _times(found, SLOW_NAME, slow, 4.5),
        _times(found, FAST_NAME, fast, 4.5),
        _times(found, SLOW_NAME, slow, 1.0, other="httrack"),
        _times(found, FAST_NAME, fast, 1.0, other="httrack"),
    ]


def memory_claims(found: Found) -> list[Claim]:
    """The paper: a tenth of HTTrack's memory, and hardly any growth."""
    largest, smallest = _largest(found, FAST_NAME), _smallest(found, FAST_NAME)
    pairs = _pairs(found, FAST_NAME, largest, "weft", "httrack")
    growths = zip(
        _pairs(found, FAST_NAME, largest, "weft", "wget"),
        _pairs(found, FAST_NAME, smallest, "weft", "wget"),
        strict=True,
    )
    return [
        claim("peak memory: weft a tenth of HTTrack's", (
            one.peak_memory_bytes <= 0.1 * other.peak_memory_bytes for one, other in pairs)),
        claim(f"memory: from {smallest:,} to {largest:,} files weft grows by a smaller part than wget", (
            large[0].peak_memory_bytes / small[0].peak_memory_bytes
            < large[1].peak_memory_bytes / small[1].peak_memory_bytes for large, small in growths)),
    ]  # fmt: skip


def _times(found: Found, network: str, size: int, times: float, other: str = "wget") -> Claim:
    told = f"at least {times:g} times as fast as" if times > 1 else "faster than"
    pairs = _pairs(found, network, size, "weft", other)
    return claim(
        f"{network} network, {size:,} files: weft {told} {other}",
        (one.pages_per_s >= times * peer.pages_per_s for one, peer in pairs),
    )


def _pairs(found: Found, network: str, size: int, one: str, other: str) -> list[tuple[Run, Run]]:
    """Runs of the same number; none where a tool is not there."""
    return list(zip(found.get((network, one, size), []), found.get((network, other, size), []), strict=False))


def _lines(found: Found, network: str, title: str, up: str, figure: Callable[[Run], float]) -> Lines:
    lines = {
        tool: [
            (float(size), fmean(figure(run) for run in runs))
            for (name, other, size), runs in sorted(found.items())
            if (name, other) == (network, tool)
        ]
        for tool in _tools(found, network)
    }
    return Lines(title, "files of the site", up, lines, is_log=True)


def _tools(found: Found, network: str) -> list[str]:
    return list(dict.fromkeys(tool for name, tool, _ in found if name == network))


def _mean(found: Found, network: str, tool: str, size: int) -> float:
    return fmean(run.pages_per_s for run in found[network, tool, size])


def _largest(found: Found, network: str) -> int:
    return max(size for name, _, size in found if name == network)


def _smallest(found: Found, network: str) -> int:
    return min(size for name, _, size in found if name == network)
