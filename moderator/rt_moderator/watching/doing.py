"""What a person does at the screen, carried out beside it, so that a slow bus never holds the keys up."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from rt_config.errors import RoundtableError
from rt_moderator.watching import acts
from rt_moderator.watching.taking import Outcome

if TYPE_CHECKING:
    from rt_moderator.shell import Shell


class Doer(threading.Thread):
    """Does one act after the other, with the shell's own door, and publishes what came of each."""

    def __init__(self, shell: Shell, table: str, publish: Callable[[Outcome | Exception], None]) -> None:
        super().__init__(name=f"acts at {table}", daemon=True)
        self._shell, self._table, self._publish = shell, table, publish
        self._acts: SimpleQueue[acts.Act] = SimpleQueue()
        self._keys: dict[str, str] = {}  # text → its key, while nobody knows whether it was stored

    def do(self, act: acts.Act) -> None:
        """Soon."""
        self._acts.put(act)

    def run(self) -> None:
        """Until the process ends."""
        while True:
            act = self._acts.get()
            prompt = act.prompt if isinstance(act, acts.Say | acts.Decide) else None
            try:
                self._publish(Outcome(self._done(act)))
            except RoundtableError as exc:
                self._publish(Outcome(f"{exc}  [{exc.error_code}]", prompt))
            except Exception as exc:  # raised again where the terminal can be put back first
                self._publish(exc)
            finally:
                self._shell.door.close()  # it opens again by itself; one that was idle for a day might be dead

    def _done(self, act: acts.Act) -> str:
        if isinstance(act, acts.Say):
            return self._say(act)
        if isinstance(act, acts.Decide):
            from rt_moderator.web import acting

            return str(
                acting.decide(self._shell, self._table, {"choice": act.choice, "text": act.text})["text"]
            )
        if isinstance(act, acts.Drain):
            from rt_moderator import draining

            left = draining.mark(self._shell, self._table, "moderator", act.upto)
            return f"read up to m{act.upto}" + (f"; {left} newer" if left else "")
        return ""

    def _say(self, act: acts.Say) -> str:
        """The same text has the same key until it is known to be stored, so that trying again never says it twice."""
        from rt_moderator.web import acting

        key = self._keys.setdefault(act.text, uuid.uuid4().hex)
        form = {"text": act.text, "to": ",".join(act.to), "key": key}
        told = str(acting.say(self._shell, self._table, form)["text"])
        del self._keys[act.text]
        return told
