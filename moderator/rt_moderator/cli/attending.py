"""Following a run to its end, for `run` and for `resume` of one: shown while it goes on, asked at its gates, its exit code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rt_moderator.cli.base import progress, terminal

if TYPE_CHECKING:
    from rt_moderator.following import Ended
    from rt_moderator.shell import Shell


@dataclass(frozen=True, slots=True)
class How:
    """How it is shown and what counts; `asks` lets a gate be a prompt where there is a terminal."""

    as_json: bool = False
    events: bool = False
    asks: bool = True
    require: bool = False


def attend(shell: Shell, table: str, how: How) -> int:
    """Follow until it is over or needs somebody: 0 done, 1 failed, 3 left at a gate, 130 interrupted (it goes on).

    Raises:
        HostDownError, NoConsensusError.
    """
    from rt_moderator import ending_of_run

    try:
        ended = _until_over(shell, table, how)
    except KeyboardInterrupt:
        progress(f"left {table} at work; rt resume {table} comes back to it, rt end -t {table} ends it")
        return 130
    return ending_of_run.finish(shell, ended, as_json=how.as_json, require=how.require)


def _until_over(shell: Shell, table: str, how: How) -> Ended:
    from rt_moderator import following
    from rt_moderator.cli import live

    with live.progress_of(quiet=how.as_json, events=how.events) as shown:
        after = "-"
        while True:
            ended = following.follow(shell, table, shown.tell, shown.look, after=after)
            after = ended.after
            if ended.how != "gate" or how.as_json or not (how.asks and terminal()):
                return ended
            if not shown.decide(shell, ended.snapshot):
                return ended
