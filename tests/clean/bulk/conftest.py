"""One PostgreSQL server for the tests of this folder; each test has databases of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Postgres, postgres

from .databases import DATABASES, MakePlace, Place, postgres_place, sqlite_place


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    with postgres() as running:
        yield running


@pytest.fixture(params=DATABASES)
def make_place(request: pytest.FixtureRequest, tmp_path: Path) -> MakePlace:
    """Makes new databases, in SQLite and then in PostgreSQL, which is started only if it is needed."""
    if request.param == "sqlite":
        return lambda: sqlite_place(tmp_path)
    server: Postgres = request.getfixturevalue("server")
    return lambda: postgres_place(server)


@pytest.fixture
def queue(make_place: MakePlace) -> Place:
    """One new database, of either kind."""
    return make_place()
