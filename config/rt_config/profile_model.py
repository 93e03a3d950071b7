"""What a profile file may say: one TOML holds everything that is specific to one agent CLI."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from rt_config.profile_skill import SkillPlace
from rt_config.tui_model import Tui

PLACEHOLDERS = (
    "argv",
    "cwd",
    "effort",
    "executable",
    "model",
    "options",
    "out",
    "prompt",
    "prompt_file",
    "python",
    "session",
)
Access = Literal["read-only", "write"]
Transport = Literal["tui", "headless", "acp"]
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _pick(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value


def _picks(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


class Pick(_Strict):
    """Where one value stands in what a CLI prints as JSON.

    `path` is dotted; a number is an index, `@key` the first key of an object. `where` names values, by path, that the
    record must have. Of several matching records `take` decides.
    """

    path: str
    where: dict[str, str | int | bool] = Field(default_factory=dict)
    take: Literal["last", "first", "join", "sum"] = "last"


_Pick = Annotated[Pick, BeforeValidator(_pick)]
_Picks = Annotated[tuple[_Pick, ...], BeforeValidator(_picks)]


class Output(_Strict):
    """How the answer is read from what the CLI printed; of several picks the first that finds something counts."""

    format: Literal["text", "json", "jsonl"] = "text"
    answer: _Picks = ()
    answer_file: bool = False  # the answer is the content of {out}, when the CLI wrote it
    session: _Picks = ()
    failed: _Picks = ()  # true in the output of a call that failed, whatever the exit status
    error: _Picks = ()  # why it failed
    cost: _Picks = ()  # US dollars
    model: _Picks = ()  # the effective one
    usage: dict[str, _Pick] = Field(default_factory=dict)  # input, output, cached: tokens
    show: _Picks = ()  # what the pane shows while the call runs; the output itself for text
    drop_prefixes: tuple[str, ...] = ()  # lines of a text answer that are not part of it
    drop_patterns: tuple[str, ...] = ()


class Headless(_Strict):
    """One call per turn. An element `{options}` of an argv is where model, effort, access and user arguments go."""

    start: tuple[str, ...] = Field(min_length=1)
    resume: tuple[str, ...] = ()
    prompt: Literal["stdin", "argument", "file"] = "stdin"
    session: Literal["set", "read", "none"] = "none"
    read_only: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    can_be_read_only: bool = (
        True  # false: nothing keeps it from writing, so only a seat with write access gets it
    )
    read_only_env: dict[str, str] = Field(default_factory=dict)  # for a CLI that takes its guards there
    write_env: dict[str, str] = Field(default_factory=dict)
    inactivity: bool = True  # false: it prints nothing until it is done, so silence says nothing
    output: Output = Output()

    @model_validator(mode="after")
    def _consistent(self) -> Headless:
        if wrong := self._what_is_wrong():
            raise ValueError(wrong)
        return self

    def _what_is_wrong(self) -> str:
        given = [argv for argv in (self.start, self.resume) if argv]
        unknown = {name for argv in given for word in argv for name in _PLACEHOLDER.findall(word)}
        if unknown := unknown.difference(PLACEHOLDERS):
            return f"unknown placeholder {{{min(unknown)}}}"
        needed = {"argument": "{prompt}", "file": "{prompt_file}"}.get(self.prompt)
        if needed and not all(_holds(argv, needed) for argv in given):
            return f"a prompt by {self.prompt} needs {needed} in the argv"
        if (self.session != "none") != bool(self.resume):
            return "a session and a resume argv go together"
        if self.resume and not _holds(self.resume, "{session}"):
            return "resume without {session} would take whatever session is the latest"
        return ""


class Acp(_Strict):
    """One live session over the Agent Client Protocol, on the standard streams of `argv`."""

    argv: tuple[str, ...] = Field(min_length=1)  # `{options}` is where model, effort and user arguments go
    auth_method: str = ""  # tried when a new session wants a login and the agent offers it
    modes: dict[Access, str] = Field(default_factory=dict)  # set when the agent has a mode of this id
    model: bool = True  # false: its argv takes no model and no effort
    read_only: tuple[str, ...] = ()  # options and variables of an agent that does not ask for leave
    write: tuple[str, ...] = ()
    read_only_env: dict[str, str] = Field(default_factory=dict)
    write_env: dict[str, str] = Field(default_factory=dict)
    failed: tuple[str, ...] = ()  # patterns of an answer that is really the agent's report of a failure

    @model_validator(mode="after")
    def _known(self) -> Acp:
        allowed = set(PLACEHOLDERS) - {"out", "prompt", "prompt_file", "session"}
        if unknown := {n for word in self.argv for n in _PLACEHOLDER.findall(word)} - allowed:
            msg = f"unknown placeholder {{{min(unknown)}}}"
            raise ValueError(msg)
        return self


class Failure(_Strict):
    """A failure that is known by what the CLI prints, and what to do about it."""

    kind: Literal["model", "quota", "network"]
    match: tuple[str, ...] = Field(min_length=1)  # patterns, in any case of letters
    fix: str


class Profile(_Strict):
    """How one agent CLI is installed, launched, answered and found wanting."""

    name: str
    description: str
    family: str  # whose models answer; seats of one family are not independent
    executable: str
    install: str = ""
    login: str = ""  # what to do when it is not logged in
    default_transport: Transport = "headless"
    agent: bool = True  # false: not an agent CLI; never chosen by itself before one
    order: int = 100  # the lower, the sooner it is proposed
    roles: tuple[str, ...] = ()
    unverified: bool = False  # written from its documentation, never run here
    tested: tuple[str, ...] = ()  # versions
    version_args: tuple[str, ...] = ("--version",)
    interactive: tuple[str, ...] = ()  # its own screen; the executable alone when empty
    argv: tuple[str, ...] = ()  # what {argv} stands for
    args: tuple[str, ...] = ()  # added to every launch
    model_args: tuple[str, ...] = ()
    models: tuple[str, ...] = ()  # all it takes; empty: any
    effort_args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    pass_env: tuple[
        str, ...
    ] = ()  # variables of the operator (keys, base URLs) that its sessions get; nothing else gets in
    auth_failure: tuple[str, ...] = ()  # patterns in the output of a call that failed for want of a login
    failures: tuple[Failure, ...] = ()  # looked at before those of failures.toml, which many CLIs share
    headless: Headless | None = None
    acp: Acp | None = None
    skill: SkillPlace | None = None
    tui: Tui | None = None

    @property
    def transports(self) -> tuple[str, ...]:
        """The transports it has, in the order of their names in the contract."""
        there = {"tui": self.tui, "headless": self.headless, "acp": self.acp}
        return tuple(name for name, call in there.items() if call is not None)

    @property
    def proposable(self) -> bool:
        """Whether it may be chosen by itself: it ran here, and it can be kept from writing."""
        return not self.unverified and (self.headless is None or self.headless.can_be_read_only)


def _holds(argv: tuple[str, ...], placeholder: str) -> bool:
    return any(placeholder in word for word in argv)
