"""The balancer: equations (4) and (10), what damps them, and counts that settle in a model of the pipeline."""

from __future__ import annotations

from itertools import pairwise
from statistics import mean, median, stdev

import msgspec
import pytest

from weft.workers.balance import Balancer, Decision, Means, Reading, grow_by, shrink_by
from weft.workers.cores import Cores

from .balance_model import PAGE_BYTES, PERIOD_S, Course, Line, Queue, World, run

SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(2, 6))]
SETTLED_AFTER = 10  # periods


def parse_reading(**changes: object) -> Reading:
    """Four processes of up to eight, all of them busy, nothing waits."""
    usual = Reading(name="parse", means=Means.PROCESSES, workers=4, least=1, most=8, done=400, idle_s=0.0)
    return msgspec.structs.replace(usual, **changes)


def fetch_reading(**changes: object) -> Reading:
    """100 slots, all of them busy."""
    usual = Reading(name="fetch", means=Means.SLOTS, workers=100, least=4, most=1024, done=1000, idle_s=0.0)
    return msgspec.structs.replace(usual, **changes)


def decide(balancer: Balancer, *readings: Reading, periods: int = 20) -> list[Decision]:
    """The first decisions that change something, or the last ones."""
    for _ in range(periods):
        decisions = balancer.step(readings, PERIOD_S)
        if any(made.workers != reading.workers for made, reading in zip(decisions, readings, strict=True)):
            break
    return decisions


def after_a_step(line: Line, before: int = 40, after: int = 50, **changes: object) -> Course:
    """The course after the world has changed in these ways."""
    balancer = Balancer()
    run(line, balancer, before)
    for name, value in changes.items():
        setattr(line.world, name, value)
    return run(line, balancer, after)


def assert_settled(counts: list[int]) -> None:
    """Within ±20 % or ±1 after ten periods."""
    late = counts[SETTLED_AFTER:]
    middle = median(late)
    assert max(abs(count - middle) for count in late) <= max(1, 0.2 * middle), counts


def turns(counts: list[int]) -> int:
    """How often they change direction."""
    steps = [later - earlier for earlier, later in pairwise(counts) if later != earlier]
    return sum(earlier * later < 0 for earlier, later in pairwise(steps))


# ── the equations ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("idle_s", "workers"), [(0.0, 0), (0.99, 0), (1.0, 1), (2.7, 2), (4.0, 4)])
def test_equation_4_takes_the_workers_that_slept_all_the_time(idle_s: float, workers: int) -> None:
    assert shrink_by(idle_s, 1.0) == workers
    assert shrink_by(10 * idle_s, 10.0) == workers


@pytest.mark.parametrize("drain_periods", [1, 4, 8])
def test_equation_10_with_the_stage_s_own_speed(drain_periods: int) -> None:
    """Four workers did 400; 100 more came: one worker keeps up with them, and 1/n of one empties the buffer."""
    assert grow_by(4, 400, 100, 100, drain_periods) == pytest.approx((drain_periods + 1) / drain_periods)


def test_the_paper_s_own_equation_10_would_ask_for_a_hundred_processes() -> None:
    """277 slots fetch 1220 pages, one process parses 1000 of them: 0.22 of a process is wanting, n is 1."""
    slots, fetched, processes, parsed = 277, 1220, 1, 1000
    growth = fetched - parsed
    paper = (1 + 1) / 1 * growth / fetched * slots
    assert round(paper) == 100
    assert grow_by(processes, parsed, growth, growth, drain_periods=1) == pytest.approx(0.44)


def test_a_buffer_that_drains_in_time_asks_for_nobody() -> None:
    assert grow_by(4, 400, growth=-50, buffer=300, drain_periods=8) <= 0


def test_a_stage_shrinks_by_exactly_what_is_idle() -> None:
    (made,) = decide(Balancer(), parse_reading(workers=8, idle_s=3.4, done=460))
    assert made.workers == 5
    assert made.reason == "shrink: 3.4 s idle in 1 s"


def test_a_stage_grows_by_exactly_what_is_wanting() -> None:
    """Δb + b/8 = 100 + 100/8, at 100 a worker."""
    (made,) = decide(Balancer(), parse_reading(buffer=100, buffer_before=0))
    assert made.workers == 4 + 2
    assert made.reason == "grow: 100 wait, +100 in 1 s, 100 a worker"


def test_time_blocked_on_output_counts_as_growth_of_the_next_buffer() -> None:
    """The buffer is full and grows no more; half of the slots could have fetched 100 pages into it."""
    fetch = fetch_reading(workers=20, idle_s=0.0, blocked_s=4.0, done=400, most=20)
    _, made = decide(Balancer(), fetch, parse_reading(buffer=64, buffer_before=64))
    assert made.workers == 4 + 2
    _, still = decide(Balancer(), msgspec.structs.replace(fetch, blocked_s=0.0), parse_reading())
    assert still.workers == 4


# ── bounds, memory, c ──────────────────────────────────────────────────────────────────────────────────


def test_one_period_alone_changes_no_process() -> None:
    balancer = Balancer()
    assert balancer.step([parse_reading(buffer=1000)], 1.0)[0].workers == 4
    assert balancer.step([parse_reading(buffer=0, buffer_before=1000)], 1.0)[0].workers == 4
    assert balancer.step([parse_reading(idle_s=4.0, done=0)], 1.0)[0].workers == 4


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_never_leave_their_bounds(seed: int) -> None:
    line = Line(World(latency_s=2.0, network_per_s=1e5, parse_s=0.02, cores=3), most_slots=150, seed=seed)
    course = run(line, Balancer(), 40)
    line.world.latency_s, line.world.ready_per_s = 0.01, 0.0
    course.readings += run(line, Balancer(), 40).readings
    assert all(4 <= count <= 150 for count in course.workers("fetch"))
    assert all(1 <= count <= 3 for count in course.workers("parse"))


def test_a_stage_with_no_work_goes_down_to_its_least() -> None:
    line = Line(World(ready_per_s=0.0), slots=200, processes=6)
    course = run(line, Balancer(), 30)
    assert (course.workers("fetch")[-1], course.workers("parse")[-1]) == (4, 1)
    queue = Queue(per_s=0.0, each_s=0.1, tasks=300)
    assert run(queue, Balancer(), 30).workers("resolve")[-1] == 16


def test_a_buffer_near_its_memory_stops_the_stage_before() -> None:
    """It takes what it takes now; without the bound the slots would grow in the first period."""
    parse = parse_reading(most=4, idle_s=1.0, buffer_bytes=60, buffer_bound_bytes=64)
    held, _ = decide(Balancer(), fetch_reading(), parse)
    assert held.workers == 100
    assert "94% of its memory" in held.reason
    free, _ = decide(Balancer(), fetch_reading(), msgspec.structs.replace(parse, buffer_bytes=6))
    assert free.workers == 200


def test_slots_do_not_grow_while_parsing_has_no_time_left() -> None:
    held, _ = decide(Balancer(), fetch_reading(), parse_reading(workers=8, done=1000))
    assert (held.workers, held.reason) == (100, "hold: parse has no time left")


def test_slots_do_not_grow_while_the_engine_s_core_is_full() -> None:
    (held,) = decide(Balancer(), fetch_reading(cpu_share=0.99))
    assert held.workers == 100


# Two cores, of which the engine and one worker take nearly all that the servers beside them leave.
FULL = Cores(all=2, free=0.05, ours=1.6)
BEHIND = parse_reading(workers=1, most=2, done=100, buffer=100, buffer_before=50)


def test_no_process_comes_where_the_crawl_fills_the_cores() -> None:
    (held,) = decide(Balancer(), msgspec.structs.replace(BEHIND, cores=FULL))
    assert (held.workers, held.reason) == (1, "hold: the cores are full")


@pytest.mark.parametrize(
    "cores",
    [
        None,  # nobody knows
        Cores(all=2, free=0.9, ours=1.1),  # parsing is the bottleneck, and there is room
        Cores(all=2, free=1.8, ours=0.2),  # a worker waits: a user's function sleeps
        Cores(all=8, free=0.0, ours=1.9),  # others fill them: each process of ours brings a share
    ],
)
def test_a_process_comes_where_it_finds_room(cores: Cores | None) -> None:
    (made,) = decide(Balancer(), msgspec.structs.replace(BEHIND, cores=cores))
    assert made.workers == 2


def test_cores_that_were_free_for_one_period_alone_bring_no_process() -> None:
    balancer = Balancer()
    full = msgspec.structs.replace(BEHIND, cores=FULL)
    free = msgspec.structs.replace(BEHIND, cores=FULL._replace(free=0.5))
    assert [balancer.step([one], 1.0)[0].workers for one in (full, full, free, full, full)] == [1] * 5
    assert [balancer.step([one], 1.0)[0].workers for one in (free, free)] == [1, 2]


def test_slots_do_not_grow_while_parsing_can_get_no_process_for_want_of_cores() -> None:
    parse = msgspec.structs.replace(BEHIND, cores=FULL, buffer=0, buffer_before=0)
    held, _ = decide(Balancer(), fetch_reading(), parse)
    assert (held.workers, held.reason) == (100, "hold: parse has no time left")


@pytest.mark.parametrize("limit", [{"rate": 200.0}, {"bandwidth": 200.0 * PAGE_BYTES}])
def test_rate_and_bandwidth_limit_the_slots(limit: dict[str, float]) -> None:
    """200 pages/s at 100 ms need 20 slots, and a fourth more for safety; the pace keeps to the rate by itself."""
    line = Line(World(latency_s=0.1), rate=200.0, slots=16)
    balancer = Balancer(**limit)
    course = run(line, balancer, 60)
    assert max(course.workers("fetch")) <= 32
    assert mean(course.done("fetch")[10:]) == pytest.approx(200, rel=0.05)
    assert balancer.pages_per_s == pytest.approx(200)


def test_without_a_rate_there_is_no_limit() -> None:
    assert Balancer().pages_per_s is None
    assert Balancer(bandwidth=1e6).pages_per_s is None  # until a page has come


def test_the_same_readings_give_the_same_decisions() -> None:
    course = run(Line(World(), seed=3), Balancer(), 50)
    again = Balancer()
    assert [again.step(readings, PERIOD_S) for readings in course.readings] == course.decisions


# ── slots find the knee ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("latency_s", [0.03, 0.1, 0.5])
def test_slots_find_the_knee_without_being_told(latency_s: float, seed: int) -> None:
    """1000 pages/s at most: from 1000 × latency slots on, more bring nothing."""
    knee = 1000 * latency_s
    course = run(Line(World(latency_s=latency_s, parse_s=0.0005), seed=seed), Balancer(), 60)
    assert mean(course.done("fetch")[20:]) >= 0.85 * 1000
    assert 0.75 * knee <= median(course.workers("fetch")[20:]) <= max(40, 2.1 * knee)


@pytest.mark.parametrize("seed", SEEDS)
def test_slots_come_near_the_best_fixed_number_when_latencies_are_mixed(seed: int) -> None:
    """20 ms to 3 s, and one visit in twenty fails. The minute begins with 32 slots and one process."""

    def line(**numbers: int) -> Line:
        world = World(latency_s=0.02, longest_s=3.0, failing_share=0.05, network_per_s=800.0, cores=2)
        return Line(world, seed=seed, **numbers)

    fixed = [line(slots=slots, processes=2) for slots in (64, 128, 256, 512, 1024)]
    for one in fixed:
        run(one, None, 60)
    balanced = line()
    run(balanced, Balancer(), 60)
    assert balanced.pages >= 0.85 * max(one.pages for one in fixed)


@pytest.mark.parametrize("seed", SEEDS)
def test_short_periods_make_a_quick_start(seed: int) -> None:
    """200 slots at 100 ms are 2000 pages/s; in the first second at least 500 come, in the second 1500."""
    world = World(network_per_s=1e5, parse_s=0.0007, cores=2)
    done = run(Line(world, most_slots=200, period_s=0.25, seed=seed), Balancer(), 8).done("parse")
    assert sum(done[:4]) >= 500
    assert sum(done[4:]) >= 1500


def test_probes_that_bring_nothing_become_rare() -> None:
    course = run(Line(World(parse_s=0.0005, noise=0.05), seed=2), Balancer(), 300)
    counts = course.workers("fetch")
    probes = [at for at, (earlier, later) in enumerate(pairwise(counts)) if later > earlier and at > SETTLED_AFTER]
    assert 2 <= len(probes) <= 8
    assert probes[-1] - probes[-2] >= 60


@pytest.mark.parametrize("seed", SEEDS)
def test_slots_step_back_when_they_bring_errors(seed: int) -> None:
    """Where there were 10,000 pages/s, from now on every visit beyond 200 at once fails."""
    line = Line(World(network_per_s=1e4, parse_s=0.0005), seed=seed)
    course = after_a_step(line, overload_slots=200)
    assert 120 <= median(course.workers("fetch")[SETTLED_AFTER:]) <= 250


@pytest.mark.parametrize("seed", SEEDS)
def test_errors_that_slots_do_not_cause_cost_no_slots(seed: int) -> None:
    well = run(Line(World(parse_s=0.0005), seed=seed), Balancer(), 60)
    ill = run(Line(World(parse_s=0.0005, failing_share=0.3), seed=seed), Balancer(), 60)
    assert mean(ill.done("fetch")[20:]) >= 0.85 * mean(well.done("fetch")[20:])


@pytest.mark.parametrize("seed", SEEDS)
def test_slots_that_hosts_are_not_ready_for_are_given_back(seed: int) -> None:
    """300 visits/s are ready at 100 ms: 30 slots."""
    course = run(Line(World(ready_per_s=300.0), slots=400, seed=seed), Balancer(), 40)
    assert 30 <= course.workers("fetch")[-1] <= 75
    assert mean(course.done("fetch")[10:]) == pytest.approx(300, rel=0.03)


# ── counts settle ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("before_s", "after_s", "network_per_s"),
    [(0.02, 0.2, 1000.0), (0.2, 0.02, 1000.0), (0.1, 1.0, 700.0), (1.0, 0.1, 700.0)],
)
def test_counts_settle_after_a_step_in_latency(
    before_s: float, after_s: float, network_per_s: float, seed: int
) -> None:
    line = Line(World(latency_s=before_s, network_per_s=network_per_s, parse_s=0.0005), seed=seed)
    course = after_a_step(line, latency_s=after_s)
    assert_settled(course.workers("fetch"))
    assert_settled(course.workers("parse"))
    assert mean(course.done("fetch")[SETTLED_AFTER:]) >= 0.8 * network_per_s


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("before_s", "after_s"), [(0.02, 1.0), (1.0, 0.02)])
def test_counts_settle_when_the_bottleneck_moves_between_cores_and_latency(
    before_s: float, after_s: float, seed: int
) -> None:
    """Two cores parse 500 pages/s: 10 slots keep them busy at 20 ms, 500 at a second."""
    line = Line(World(latency_s=before_s, parse_s=0.004, cores=2), seed=seed)
    course = after_a_step(line, latency_s=after_s)
    assert_settled(course.workers("fetch"))
    assert_settled(course.workers("parse"))
    assert mean(course.done("parse")[SETTLED_AFTER:]) >= 0.8 * 500


@pytest.mark.parametrize("seed", SEEDS)
def test_look_ups_settle_as_hosts_come_faster(seed: int) -> None:
    """800 hosts/s at 200 ms each keep 160 busy, then 1600 hosts/s 320."""
    queue, balancer = Queue(per_s=800.0, each_s=0.2, seed=seed), Balancer()
    run(queue, balancer, 40)
    queue.per_s = 1600.0
    counts = run(queue, balancer, 60).workers("resolve")
    assert_settled(counts)
    assert 290 <= median(counts[SETTLED_AFTER:]) <= 420
    assert queue.waiting <= 1600


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_do_not_swing_in_a_steady_state(seed: int) -> None:
    """In two minutes of noise of 15 %."""
    course = run(Line(World(parse_s=0.003), seed=seed), Balancer(), 150)
    assert turns(course.workers("fetch")[30:]) <= 2 * 5
    assert turns(course.workers("parse")[30:]) <= 2 * 2


# ── the paper's three groups ───────────────────────────────────────────────────────────────────────────


def seasons(line: Line, balancer: Balancer | None) -> Course:
    """A network that is fast and then slow, in turns."""
    course = Course([], [])
    for _ in range(3):
        for line.world.latency_s, line.world.network_per_s in ((0.05, 1200.0), (0.4, 300.0)):
            part = run(line, balancer, 40)
            course.readings += part.readings
    return course


def serial_volume(workers: int, world: World, periods: int) -> float:
    """Each worker fetches a page and parses it; parsing has one core, as in one process."""
    return sum(
        periods * min(workers / (latency_s + world.parse_s), 1 / world.parse_s, per_s)
        for _ in range(3)
        for latency_s, per_s in ((0.05, 1200.0), (0.4, 300.0))
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_paper_s_three_groups_come_in_its_order(seed: int) -> None:
    """Balanced; the same numbers on average, but fixed; and as many workers that do everything (tables 1 and 2)."""
    world = World(parse_s=0.008, cores=12)
    line = Line(world, processes=2, seed=seed)
    balanced = seasons(line, Balancer())
    slots, processes = round(mean(balanced.workers("fetch"))), round(mean(balanced.workers("parse")))
    fixed_line = Line(World(parse_s=0.008, cores=12), slots=slots, processes=processes, seed=seed)
    fixed = seasons(fixed_line, None)
    assert line.pages > fixed_line.pages > serial_volume(slots + processes, world, 40)

    def mean_buffer(course: Course) -> float:
        return mean(period[1].buffer for period in course.readings)

    def idle_processes(course: Course) -> float:
        return mean(period[1].idle_s for period in course.readings)

    assert mean_buffer(balanced) < mean_buffer(fixed)
    assert idle_processes(balanced) < idle_processes(fixed)


@pytest.mark.parametrize("seed", SEEDS)
def test_balance_makes_the_speed_curve_no_wilder_than_the_network(seed: int) -> None:
    """Within a season, once settled, speed varies by no more than the noise of the model explains."""
    course = run(Line(World(parse_s=0.003), seed=seed), Balancer(), 100)
    speeds = course.done("parse")[20:]
    assert stdev(speeds) / mean(speeds) <= 0.15
