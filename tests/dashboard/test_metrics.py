"""What Prometheus reads: accepted by its own parser and linter, documented, and bounded."""

from __future__ import annotations

import re
import subprocess
from http import HTTPStatus
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.live.statuses import a_status
from tests.prometheus import PROMTOOL, needs_promtool
from weft.dashboard.metrics import METRICS, OTHER, Metric, Type, metrics_text
from weft.live.limiter import NAMES
from weft.live.status import Limiter, State, Status
from weft.types import Outcome, Refusal

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
WORDS = {
    "state": {*State, "ready", "busy", "waiting", "preparing", "left"},
    "limiter": set(NAMES),
    "limit": {"pages", "bytes", "time"},
    "code": {*(str(code.value) for code in HTTPStatus), OTHER},
    "outcome": set(Outcome),
    "reason": set(Refusal),
    "stage": {"resolve", "fetch", "parse"},
    "result": {"hit", "miss", "joined"},
    "kind": {"not_found", "failed"},
    "part": {"engine", "workers"},
}


def values(status: Status) -> dict[str, float]:
    """Each sample by its name and labels, as Prometheus's own parser reads it."""
    return {
        f"{sample.name}{sorted(sample.labels.items())}": sample.value
        for family in text_string_to_metric_families(metrics_text(status))
        for sample in family.samples
    }


def test_prometheus_parser_reads_every_metric_with_its_type_and_help() -> None:
    families = {family.name: family for family in text_string_to_metric_families(metrics_text(a_status()))}
    for metric in METRICS:
        family = families.pop(metric.name.removesuffix("_total"))
        assert (family.type, family.documentation) == (metric.type, metric.help)
        assert family.samples
    assert families == {}


def test_the_values_are_those_of_the_status_in_base_units() -> None:
    found = values(a_status())
    assert found["weft_pages_total[]"] == 12_345
    assert found["weft_received_bytes_total[]"] == 987_654_321
    assert found["weft_state[('state', 'running')]"] == 1
    assert found["weft_state[('state', 'paused')]"] == 0
    assert found["weft_limiter[('limiter', 'politeness')]"] == 1
    assert found["weft_limit_ratio[('limit', 'pages')]"] == pytest.approx(0.247)
    assert found["weft_failed_urls[('outcome', 'connect-refused')]"] == 7
    assert found["weft_failed_urls[('outcome', 'stalled')]"] == 0
    assert found["weft_refused_links[('reason', 'robots')]"] == 12
    assert found["weft_stage_idle_ratio[('stage', 'parse')]"] == pytest.approx(0.125)
    assert found["weft_dns_query_mean_seconds[]"] == pytest.approx(0.0125)
    assert found["weft_status_time_seconds[]"] - found["weft_start_time_seconds[]"] == pytest.approx(100.5)
    assert found["weft_workers_died_total[]"] == 1


@needs_promtool
@pytest.mark.parametrize(
    "status",
    [a_status(), a_status(limit=None, stages=[], statuses={}, disk_free_bytes=None)],
    ids=["all there is", "little is known"],
)
def test_promtool_finds_nothing_to_say(status: Status) -> None:
    done = subprocess.run(
        [PROMTOOL, "check", "metrics"], input=metrics_text(status), capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_codes_that_http_does_not_know_are_one_series() -> None:
    codes = {str(code): 1 for code in range(100, 1000)}
    found = values(a_status(statuses=codes))
    series = [name for name in found if name.startswith("weft_responses_total")]
    assert len(series) == len(HTTPStatus) + 1
    assert sum(found[name] for name in series) == 900
    assert found["weft_responses_total[('code', 'other')]"] == 900 - len(HTTPStatus)


def test_labels_are_weft_s_own_words_whatever_hosts_and_servers_say() -> None:
    nasty = '"} 1\nweft_forged 2\n'
    status = a_status(
        statuses={nasty: 3}, failed={nasty: 1}, refused={nasty: 1}, limiter=Limiter(nasty, nasty), warnings=[nasty]
    )
    for family in text_string_to_metric_families(metrics_text(status)):
        for sample in family.samples:
            for label, word in sample.labels.items():
                assert label == "version" or word in WORDS[label]
    assert "forged" not in metrics_text(status)


def test_names_carry_base_units_and_only_counters_end_in_total() -> None:
    for metric in METRICS:
        assert re.fullmatch(r"weft_[a-z]+(_[a-z]+)*", metric.name)
        assert metric.name.endswith("_total") == (metric.type is Type.COUNTER)
        assert not re.search(r"_(ms|minutes|kb|mb|kib|percent)(_|$)", metric.name)


def row(metric: Metric) -> str:
    """The line that docs/metrics.md has for a metric."""
    label = f"{{{metric.label}}}" if metric.label else ""
    return f"| `{metric.name}{label}` | {metric.type} | {metric.help} |"


def test_the_page_has_exactly_the_metrics_that_there_are_in_their_order() -> None:
    assert re.findall(r"^\| `weft_.*\|$", PAGE, re.MULTILINE) == [row(metric) for metric in METRICS]
