"""Between reading and writing: pages keep their order, and memory its bound."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from weft.clean import Cleaned
from weft.clean.bulk import RawPage, Result, Sizes
from weft.clean.bulk.window import PageTask, Window


def page(number: int, size_bytes: int = 10) -> RawPage:
    return RawPage(f"http://site.test/{number}", b"x" * size_bytes, place=number)


def answer(window: Window, task: PageTask) -> None:
    window.answer(task, Result(task.page, Cleaned("x")))


def hand_out_all(window: Window) -> list[PageTask]:
    return [window.hand_out() for _ in range(window.waiting_pages)]


def places(results: list[Result]) -> list[int]:
    return [result.page.place for result in results]


@given(st.integers(1, 60), st.integers(1, 20), st.randoms(use_true_random=False))
def test_pages_leave_in_the_order_in_which_they_came_whoever_was_faster(
    count: int, write_rows: int, chance: random.Random
) -> None:
    window = Window(Sizes(write_rows=write_rows))
    window.add(map(page, range(count)))
    tasks = hand_out_all(window)
    chance.shuffle(tasks)
    left: list[Result] = []
    for task in tasks:
        answer(window, task)
        while batch := window.take(is_last=True):
            assert len(batch) == write_rows or not window
            left += batch
    assert places(left) == list(range(count))
    assert not window
    assert window.held_bytes == 0
    assert window.answered_pages == 0


def test_a_page_that_is_not_answered_holds_back_those_behind_it() -> None:
    window = Window(Sizes(write_rows=2))
    window.add(map(page, range(4)))
    first, *others = hand_out_all(window)
    for task in others:
        answer(window, task)
    assert window.take(is_last=True) == []
    answer(window, first)
    assert places(window.take(is_last=False)) == [0, 1]


def test_pages_that_are_given_back_are_the_next_ones_in_their_order() -> None:
    window = Window(Sizes())
    window.add(map(page, range(4)))
    tasks = [window.hand_out() for _ in range(3)]
    window.give_back(tasks[1:])
    assert [task.page.place for task in hand_out_all(window)] == [1, 2, 3]


def test_there_is_room_for_so_many_blocks_and_no_more() -> None:
    sizes = Sizes(block_pages=10, buffer_blocks=3)
    window = Window(sizes)
    blocks = 0
    while window.has_room():
        window.add(map(page, range(10)))
        blocks += 1
    assert blocks == 3


def test_there_is_no_room_while_results_wait_to_be_written() -> None:
    window = Window(Sizes(block_pages=10, buffer_blocks=2, write_rows=5))
    window.add(map(page, range(20)))
    for task in hand_out_all(window):
        answer(window, task)
    assert not window.has_room()
    window.take(is_last=False)
    assert window.has_room()


def test_there_is_no_room_beyond_the_bytes_that_memory_has() -> None:
    window = Window(Sizes(buffer_bytes=1000))
    window.add([page(0, 400), page(1, 400)])
    assert window.has_room()
    window.add([page(2, 400)])
    assert not window.has_room()


def test_a_batch_of_large_results_is_written_before_it_is_full() -> None:
    window = Window(Sizes(write_rows=100, write_bytes=1000))
    window.add(map(page, range(3)))
    for task in hand_out_all(window):
        window.answer(task, Result(task.page, Cleaned("x" * 600)))
    assert places(window.take(is_last=False)) == [0, 1]


def test_a_result_does_not_hold_the_content_of_its_page() -> None:
    window = Window(Sizes())
    window.add([page(0)])
    answer(window, window.hand_out())
    assert window.take(is_last=True)[0].page.content == b""
