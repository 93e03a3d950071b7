"""What the driver's helpers share: the door, the fence, the journal as far as it is known, the table as it was seen last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rt_config.errors import FormatChangedError
from rt_mailbox import journal, tables
from rt_mailbox.addresses import group_of
from rt_moderator.engine.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from rt_mailbox.door import Door, Reply
    from rt_moderator.engine.commands import Command

_SHOWN_CHARS = 4000  # of a value in its event; the journal has it whole


class _Pending:
    """Not yet."""


PENDING = _Pending()


class Desk:
    """One run's working place. `number` is the command's place in the run, from 1."""

    def __init__(
        self, door: Door, table: str, fence: Callable[[], str], say: Callable[[str], None], snapshot: Reply
    ) -> None:
        """Reads the journal once; later only what others write (decisions, digests) is read again."""
        self.door, self.table, self.fence, self.say = door, table, fence, say
        self.group = group_of(table)
        self.snapshot = snapshot
        self.options = Options.model_validate_json(self.about.get("options") or "{}")
        self.number = 0
        self._lines: dict[str, Any] = journal.read(door, table)
        self._order = {
            line["n"]: name for name, line in self._lines.items() if isinstance(line, dict) and "n" in line
        }

    @property
    def about(self) -> Reply:
        """The table's fields."""
        found: Reply = self.snapshot["table"]
        return found

    def line(self, name: str) -> Any:
        """A line of the journal that only this run writes; None when there is none yet."""
        return self._lines.get(name)

    def told(self, name: str) -> Any:
        """A line that others write; None when there is none yet."""
        found = self._lines.get(name)
        if found is None and (found := journal.get(self.door, self.table, name)) is not None:
            self._lines[name] = found
        return found

    def begun(self, command: Command) -> Any:
        """The line with which this command began, or None; the journal must not know another one in its place.

        Raises:
            FormatChangedError: the recorded step at this place of the run is another one.
        """
        recorded, found = self._order.get(self.number), self._lines.get(command.name)
        if recorded is None and found is None:
            return None
        if recorded != command.name or found is None or found["kind"] != command.kind:
            raise FormatChangedError(
                table=self.table, number=self.number, recorded=recorded or "nothing", found=command.name
            )
        return found

    def begin(self, command: Command, event: str = "", **values: Any) -> Any:
        """Write the command's first line, with its event."""
        line = {"n": self.number, "kind": command.kind, **values}
        return self.put(command.name, line, event, values)

    def put(self, name: str, value: Any, event: str = "", shown: dict[str, Any] | None = None) -> Any:
        """Write a line; what stands under the name already stays and is returned.

        Raises:
            StaleHostError.
        """
        fields = {key: _text(item)[:_SHOWN_CHARS] for key, item in (shown or {}).items()}
        stood = journal.put(
            self.door, self.table, name, value, event=event, fields=fields, epoch=self.fence()
        )
        self._lines[name] = stood
        if isinstance(stood, dict) and "n" in stood:
            self._order[stood["n"]] = name
        return stood

    def lines(self) -> dict[str, Any]:
        """The whole journal as known here."""
        return dict(self._lines)

    def set(self, event: str = "", **fields: str) -> None:
        """Set fields of the table unless they stand so already.

        Raises:
            StaleHostError.
        """
        changed = {name: value for name, value in fields.items() if self.about.get(name, "") != value}
        if changed:
            tables.set_table(self.door, self.table, changed, event=event, epoch=self.fence())
            self.about.update(changed)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
