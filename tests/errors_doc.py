"""The table in docs/errors.md: made from the error tree, compared. `python -m tests.errors_doc` rewrites it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from rt_config.errors import RoundtableError, all_errors

PAGE = Path(__file__).parent.parent / "docs" / "errors.md"
_HEAD = """# Errors

Every refusal has an `error_code`, the same on the command line, in JSON (`--json`: `{"error_code", "message", "hint"}`, the last
line on stderr), in Python (`rt_config.errors`, one class each) and over MCP. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing
came in time (no error). A word in `{}` is filled in. This page is made from the code by `python -m tests.errors_doc`; a test
compares.

"""


def page() -> str:
    """The whole page as it should be."""
    rows = ["| error_code | exit | class | what it means | what to do |", "|---|---|---|---|---|"]
    rows += [
        f"| `{code}` | {cls.exit_code} | `{cls.__name__}` | {_meaning(cls)} | {_cell(cls.hint)} |"
        for code, cls in _in_order()
    ]
    return _HEAD + "\n".join(rows) + "\n"


def _in_order() -> list[tuple[str, type[RoundtableError]]]:
    """By branch of the tree, as it is written; what can be raised comes with its branch."""

    def place(cls: type[RoundtableError]) -> list[str]:
        return [one.__name__ for one in reversed(cls.__mro__) if issubclass(one, RoundtableError)]

    return sorted(all_errors().items(), key=lambda item: place(item[1]))


def _meaning(cls: type[RoundtableError]) -> str:
    text = " ".join((inspect.getdoc(cls) or "").split())
    return _cell(re.match(r"(.*?[^.]\.)( |$)|(.*)", text).group(0).strip())  # type: ignore[union-attr]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
