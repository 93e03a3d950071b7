"""What integration tests share beyond the bus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.helpers import Bus
from tests.integration.seats import Table


class Seated(Protocol):
    """Makes the test's table."""

    def __call__(self, seats: Mapping[str, dict[str, Any]], **fields: str) -> Table: ...


@pytest.fixture
def seated(bus: Bus, tmp_path: Path) -> Iterator[Seated]:
    """Makes a table with these seats, by slug with their launch specs, and fields of its own."""
    made: list[Table] = []

    def make(seats: Mapping[str, dict[str, Any]], **fields: str) -> Table:
        made.append(Table(bus, tmp_path, seats, **fields))
        return made[-1]

    yield make
    for table in made:
        table.door.close()
