"""From a post to what one receiver gets: texts of its size, JSON of its shape, words of others that cannot ping. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import jinja2

from rt_config.errors import BadConfigError
from rt_moderator import quoting
from rt_moderator.sinks import splitting
from rt_participant import show

if TYPE_CHECKING:
    from rt_config.sinks import Template
    from rt_moderator.sinks.planning import Post

_ALONE = re.compile(r"^\{\{\s*(\w+)\s*\}\}$")
_PING = re.compile(r"@(?=(?:everyone|here|channel)\b)")
_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_NO_PING = "\u200b"


@dataclass(frozen=True, slots=True)
class Request:
    """What one receiver gets for one part of a post. `token` names it, the same for every try."""

    text: str
    token: str
    event: str
    table: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> str:
        """The text, or the JSON where the template has one."""
        return self.text + "\n" if self.body is None else json.dumps(self.body, ensure_ascii=False)


class Renderer:
    """One template, ready to use."""

    def __init__(self, template: Template) -> None:
        self.template = template

    def texts(self, post: Post) -> list[str]:
        """The text of a post in the parts that the receiver can take; at least one.

        Raises:
            BadConfigError: the template has a mistake, or no text for this post.
        """
        values = self._values(post)
        source = self.template.text.get(post.text)  # type: ignore[call-overload]
        if source is None:
            raise BadConfigError(where="template", reason=f"it has no text.{post.text}")
        text = _rendered(source, values).strip()
        limit = self.template.limit
        try:
            return splitting.messages(text, limit) or ["(empty)"]
        except ValueError as exc:
            raise BadConfigError(where="template", reason=str(exc)) from exc

    def request(self, post: Post, text: str, token: str, thread: str | None) -> Request:
        """The request for one part.

        Args:
            post: whose part it is.
            text: the part, as `texts` gave it.
            token: see `token`.
            thread: the id of the table's thread, '' without one, None when this part opens it.

        Raises:
            BadConfigError: the template has a mistake.
        """
        template, values = self.template, self._values(post)
        values |= {"text": text, "token": token, "thread": thread or ""}
        body, query = dict(template.body), dict(template.query)
        if template.thread and thread is None:
            body |= template.thread.body
        elif template.thread and thread:
            query |= template.thread.query
        return Request(
            text,
            token,
            post.event,
            str(post.values["table"]),
            _filled(body, values) if body else None,
            _filled(query, values),
            _filled(template.headers, values),
        )

    def _values(self, post: Post) -> dict[str, Any]:
        values: dict[str, Any] = safe({**post.values, "event": post.event}, self.template.flavour)
        values["title"] = " ".join(_rendered(self.template.title, values).split())
        return values


def token(table: str, sink: str, key: str, part: int) -> str:
    """The name of a part of a post: 24 letters that are the same for every try of it."""
    return hashlib.sha256(f"{table}\n{sink}\n{key}\n{part}".encode()).hexdigest()[:24]


def safe(value: Any, flavour: str) -> Any:
    """`value` with every text in it made harmless for a receiver: no control characters, no pings, no markup of its own."""
    if isinstance(value, str):
        return _FLAVOURS[flavour](show.plain(value))
    if isinstance(value, Mapping):
        return {key: safe(one, flavour) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [safe(one, flavour) for one in value]
    return value


def _discord(text: str) -> str:
    return _PING.sub("@" + _NO_PING, text).replace("<@", f"<{_NO_PING}@")


def _slack(text: str) -> str:
    """Slack's own markup, with Markdown's bold and headings in it; outside of code."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    lines, code = [], False
    for line in text.split("\n"):
        fence = bool(_FENCE.match(line))
        code ^= fence
        lines.append(line if code or fence else _BOLD.sub(r"*\1*", _HEADING.sub(r"*\1*", line)))
    return _PING.sub("@" + _NO_PING, "\n".join(lines))


_FLAVOURS = {"plain": lambda text: text, "discord": _discord, "slack": _slack}


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    """Every text of a structure filled in; one that is a name alone gives the value as it is."""
    if isinstance(value, Mapping):
        return {key: _filled(one, values) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, values) for one in value]
    if not isinstance(value, str):
        return value
    alone = _ALONE.match(value)
    return values[alone[1]] if alone and alone[1] in values else _rendered(value, values)


def _rendered(source: str, values: Mapping[str, Any]) -> str:
    try:
        return _compiled(source).render(values)
    except jinja2.TemplateError as exc:
        raise BadConfigError(where="template", reason=f"{type(exc).__name__}: {exc}") from exc


@cache
def _compiled(source: str) -> jinja2.Template:
    return _environment().from_string(source)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(  # noqa: S701 (a post is text, not HTML)
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"words": _words, "clip": _clip, "quoted": quoting.quoted}
    return environment


def _words(text: str, most: int) -> str:
    found = str(text).split()
    return " ".join(found[:most]) + ("…" if len(found) > most else "")


def _clip(text: str, most: int) -> str:
    return text if splitting.size(text) <= most else text[: most // 2] + "…" + text[-(most // 2 - 3) :]
