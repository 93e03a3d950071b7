"""A whole table as one document: Markdown, HTML or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rt_config.errors import UnknownTableError
from rt_moderator import transcript

if TYPE_CHECKING:
    from pathlib import Path

    from rt_mailbox.door import Door


def exported(door: Door, table: str, folder: Path, kind: str) -> str:
    """The table as `md`, `html` or `json`; `folder` is where its derived files are. Marks nothing read.

    Raises:
        UnknownTableError.
    """
    found = transcript.load(door, table)
    if found is None:
        raise UnknownTableError(table=table)
    snapshot, messages = found
    if kind == "json":
        from rt_mailbox.wire import to_json

        said = [to_json(message, table) for message in messages]
        return (
            json.dumps({"table": table, "topic": snapshot["table"].get("topic", ""), "messages": said}) + "\n"
        )
    if kind == "html":
        from rt_moderator.page.document import render_html
        from rt_moderator.page.scores import of_table

        return render_html(
            snapshot, messages, of_table(door, table, snapshot["table"].get("format", ""), folder)
        )
    return transcript.render_markdown(snapshot, messages)
