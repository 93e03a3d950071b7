"""The entry point `rt`: the commands of every turn go straight to the hot door, everything else to the CLI."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run `rt` with the process's arguments; returns the exit code."""
    argv = sys.argv[1:]
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output went away: nothing was marked as read. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1


def _run(argv: list[str]) -> int:
    if argv and argv[0] in ("turn", "reply", "read", "post", "wait"):
        from rt_participant import hot

        code = hot.main(argv)
        if code is not None:
            return code  # else: help, an odd option, another door
    if argv[:2] == ["seat", "run"]:
        from rt_participant import runner

        return runner.main()
    if argv[:2] == ["seat", "hook"]:
        from rt_participant import tui_hook

        return tui_hook.main(argv[2:])
    if argv == ["mcp", "--light"]:
        from rt_participant import mcp_light

        return mcp_light.main()
    from rt_moderator.cli.app import main as run_command

    return run_command(argv)


if __name__ == "__main__":
    sys.exit(main())
