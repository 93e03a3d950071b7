"""The requests of formats: jinja2 templates that are data, in which what others wrote is fenced.

An unfilled placeholder is an error (S0's placeholder table), never an empty place.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rt_config
from rt_participant import cleaning, prompt
from rt_participant.control import longest_run

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """The text of `prompts/formats/<template>.md`, filled in.

    Raises:
        jinja2.UndefinedError: a placeholder that was not filled; a mistake of ours, found by the tests of every format.
    """
    return _environment().get_template(f"{template}.md").render(**values).strip() + "\n"


def fenced(text: str, label: str = "text") -> str:
    """`text` as quoted material that cannot end its fence; no control characters."""
    body = cleaning.plain(str(text)).strip("\n")
    fence = "`" * (longest_run(body) + 1)
    return f"{fence}{label}\n{body}\n{fence}"


def words(text: str, most: int) -> str:
    """`text` cut to `most` words, marked; the whole stays in the record."""
    found = str(text).split()
    return str(text).strip() if len(found) <= most else " ".join(found[:most]) + " [… cut]"


def line(text: str) -> str:
    """`text` as one line."""
    return prompt.line(str(text))


@cache
def _environment() -> Environment:
    found = prompt.environment(Path(rt_config.__file__).parent / "prompts" / "formats")
    found.filters |= {"fenced": fenced, "words": words, "line": line}
    return found
