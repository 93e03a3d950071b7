"""Where a table's words go outside: the `[[sink]]` tables of config.toml, and the templates that say how (`sinks/*.toml`).

A working tree's rt.toml has no say in this: a repository must not send anybody's discussion elsewhere.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from rt_config.errors import BadConfigError

Event = Literal["opening", "questions", "replies", "synthesis", "gate", "concluded"]
EVENTS: tuple[Event, ...] = ("opening", "questions", "replies", "synthesis", "gate", "concluded")
_FOLDER = Path(__file__).with_name("sinks")
_OF_TYPE = {"file": "markdown", "command": "markdown", "webhook": "json"}


class Thread(BaseModel):
    """How a receiver opens a thread and posts into it; its first post carries `body` too."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    body: dict[str, Any] = {}
    query: dict[str, str] = {}  # of every later post; {{ thread }} is the thread's id
    id: str  # dotted path of the thread's id in the answer
    refused: tuple[int, ...] = (400,)  # statuses that mean: no threads here, post without one


class Template(BaseModel):
    """How posts look to one kind of receiver: every text is jinja2, and none of what participants wrote is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str = ""
    flavour: Literal["plain", "discord", "slack"] = (
        "plain"  # how words of others are kept from pinging and formatting
    )
    limit: int = Field(default=0, ge=0)  # characters of one message; 0: no limit
    remembers_seconds: float = Field(
        default=0.0, ge=0
    )  # how long the receiver knows a token, and drops a second post with it
    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    title: str = "{{ topic | words(8) }} [[{{ (format if mode in ('', 'default') else mode) | upper }}]]"
    text: dict[Literal["opening", "question", "reply", "synthesis", "gate", "concluded"], str]
    body: dict[str, Any] = {}  # the JSON; a value that is one name alone keeps its type
    thread: Thread | None = None


class Sink(BaseModel):
    """One receiver. The URL is a secret: it is shown nowhere."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")
    type: Literal["file", "command", "webhook"]
    path: str = ""  # file; {table} is the table's id
    argv: tuple[str, ...] = ()  # command: the text on stdin
    url: SecretStr = SecretStr("")  # webhook
    url_file: str = ""  # a file that holds it
    template: str = ""  # a built-in one, or the path of a TOML file
    events: tuple[Event, ...] = EVENTS
    formats: tuple[str, ...] = ()  # empty: all
    thread: bool = True  # where the template can
    remembers_seconds: float | None = Field(default=None, ge=0)  # instead of the template's
    timeout_seconds: float = Field(default=10.0, gt=0, le=300)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        needed = {
            "file": self.path,
            "command": self.argv,
            "webhook": self.url.get_secret_value() or self.url_file,
        }
        if not needed[self.type]:
            names = {"file": "path", "command": "argv", "webhook": "url or url_file"}
            msg = f"a sink of type {self.type} needs {names[self.type]}"
            raise ValueError(msg)
        return self

    def takes(self, format_: str) -> bool:
        """Whether tables of this format are posted."""
        return not self.formats or format_ in self.formats

    def address(self) -> str:
        """The URL; never to be shown.

        Raises:
            BadConfigError: the file cannot be read, or it is no http or https URL. It is not in the message.
        """
        found = self.url.get_secret_value()
        if not found:
            try:
                found = Path(self.url_file).expanduser().read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as exc:
                why = exc.strerror if isinstance(exc, OSError) else "it is not text"
                raise BadConfigError(
                    where=f"sink {self.name}", reason=f"url_file {self.url_file}: {why}"
                ) from exc
        if not found.startswith(("https://", "http://")) or any(char.isspace() for char in found):
            raise BadConfigError(where=f"sink {self.name}", reason="its url is no http or https URL")
        return found


def template(sink: Sink) -> Template:
    """The template of a sink.

    Raises:
        BadConfigError: no such template, or it cannot be used.
    """
    name = template_name(sink)
    path = Path(name).expanduser() if name.endswith(".toml") else _FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(templates())
        raise BadConfigError(
            where=f"sink {sink.name}",
            reason=f"no template {name!r}; there are {known}, or a path ending in .toml",
        )
    try:
        return _template(path, path.stat().st_mtime_ns)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise BadConfigError(where=path, reason=str(exc)) from exc
    except ValidationError as exc:
        first = exc.errors()[0]
        raise BadConfigError(
            where=f"{path}: {'.'.join(map(str, first['loc']))}", reason=first["msg"]
        ) from exc


def template_name(sink: Sink) -> str:
    """What the sink names, or the template of its type."""
    return sink.template or _OF_TYPE[sink.type]


def templates() -> list[str]:
    """The names of the built-in templates."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


@cache
def _template(path: Path, _mtime_ns: int) -> Template:
    return Template.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
