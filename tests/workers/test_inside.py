"""A worker from its inside: what it reads, and what it answers."""

from __future__ import annotations

import socket

import pytest

from weft.workers.frames import READY, frame, received
from weft.workers.inside import HELD_BACK_S, HeldBack
from weft.workers.process import end, start_child

from .asked_worker import ANSWERS_AT_ONCE, BE_PROMPT, LAST_WORD, SETTLE, TAKE_LONG, UNSETTLE, Asked, decode_answered


def said_to(*messages: Asked) -> tuple[int, list[bytes]]:
    """What a worker says to these, and how it ends when nothing more comes."""
    process, connection = start_child("tests.workers.asked_worker")
    with connection:
        connection.sendall(b"".join(map(frame, messages)))
        connection.shutdown(socket.SHUT_WR)
        said = [bytes(body) for body, _ in received(connection)]
    return end(process), said


@pytest.mark.parametrize("count", [0, 1, 3, 8])
def test_a_worker_says_that_it_is_ready_and_answers_each_task_in_order(count: int) -> None:
    code, (ready, *answers) = said_to(Asked(), *(Asked(number=number) for number in range(count)))
    assert len(ready).to_bytes(4, "big") + ready == READY
    assert [decode_answered(answer).number for answer in answers] == list(range(count))
    assert code == 0


def test_a_worker_that_is_not_wanted_any_more_before_it_has_begun_ends_without_a_word() -> None:
    assert said_to() == (0, [])


def test_a_worker_whose_answers_nobody_waits_for_ends_without_a_word() -> None:
    process, connection = start_child("tests.workers.asked_worker")
    with connection:
        connection.sendall(frame(Asked()))
        assert connection.recv(len(READY)) == READY
        connection.shutdown(socket.SHUT_RD)
        connection.sendall(frame(Asked(number=1)))
        assert end(process) == 0


def test_answers_are_held_back_up_to_a_number_and_a_time() -> None:
    held_back = HeldBack(3)
    for times, is_enough in (([1.0, 1.0], False), ([1.0, 1.0, 1.0], True), ([2.0, 2.0 + HELD_BACK_S], True)):
        for now in times:
            assert not held_back.is_enough
            held_back.add(Asked(), now)
        assert (held_back.count, held_back.is_enough) == (len(times), is_enough)
        assert held_back.take() == frame(Asked()) * len(times)
        assert held_back.count == 0


def test_an_answer_is_not_held_back_behind_a_task_that_takes_long() -> None:
    process, connection = start_child("tests.workers.asked_worker")
    connection.settimeout(60)
    with connection:
        connection.sendall(b"".join(map(frame, (Asked(BE_PROMPT), Asked(number=1), Asked(TAKE_LONG)))))
        messages = received(connection)
        next(messages)  # it is ready
        body, _ = next(messages)
        assert decode_answered(body).number == 1
    process.kill()
    process.wait()


@pytest.mark.parametrize("bad", range(1, 2 * ANSWERS_AT_ONCE + 1))
def test_answers_that_cannot_be_made_true_are_not_sent_nor_any_after_them(bad: int) -> None:
    tasks = [Asked(UNSETTLE if number == bad else "answer", number) for number in range(1, 4 * ANSWERS_AT_ONCE)]
    code, (_, *answers, last) = said_to(Asked(), *tasks)
    assert [decode_answered(answer).number for answer in answers] == list(range(1, len(answers) + 1))
    assert len(answers) < bad
    assert decode_answered(last) == LAST_WORD
    assert code == 0


def test_answers_that_are_sent_while_a_task_takes_long_are_made_true_first() -> None:
    process, connection = start_child("tests.workers.asked_worker")
    connection.settimeout(60)
    with connection:
        connection.sendall(b"".join(map(frame, (Asked(BE_PROMPT), Asked(UNSETTLE, number=1), Asked(TAKE_LONG)))))
        messages = received(connection)
        next(messages)  # it is ready
        body, _ = next(messages)
        assert decode_answered(body) == LAST_WORD
    process.kill()
    process.wait()


def test_the_last_word_is_the_last_though_what_was_answered_could_be_made_true_after_all() -> None:
    code, (_, *answers) = said_to(Asked(BE_PROMPT), Asked(UNSETTLE, number=1), Asked(SETTLE, number=2), Asked())
    assert [decode_answered(answer) for answer in answers] == [LAST_WORD]
    assert code == 0
