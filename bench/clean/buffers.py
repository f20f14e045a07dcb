"""What lies between the maintaining thread and the deletion threads."""

from __future__ import annotations

from collections import deque
from threading import Condition
from typing import Generic, TypeVar

T = TypeVar("T")


class Buffer(Generic[T]):
    """One bounded queue for each deletion thread. Whatever comes goes to the shortest of them, as in the paper."""

    def __init__(self, queues: int, most_each: int) -> None:
        self._queues: list[deque[T]] = [deque() for _ in range(queues)]
        self._most_each = most_each
        self._changed = Condition()
        self._is_closed = False

    def push(self, element: T) -> None:
        """Wait until the shortest queue has room. After `close` the element is dropped."""
        with self._changed:
            shortest = min(self._queues, key=len)
            while len(shortest) >= self._most_each and not self._is_closed:
                self._changed.wait()
                shortest = min(self._queues, key=len)
            if not self._is_closed:
                shortest.append(element)
                self._changed.notify_all()

    def pop(self, number: int) -> T | None:
        """The first element of a queue; wait for one. None: nothing more comes."""
        queue = self._queues[number]
        with self._changed:
            while not queue and not self._is_closed:
                self._changed.wait()
            if not queue:
                return None
            element = queue.popleft()
            self._changed.notify_all()
            return element

    def close(self) -> None:
        """Nothing more comes: who waits goes on."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
