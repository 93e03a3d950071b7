"""What a profile says about an agent's own screen: how it starts past every first-run question, and how its screen is read."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

PLACEHOLDERS = (
    "argv", "cwd", "cwd_json", "effort", "executable", "home", "model", "options", "python", "role", "role_json", "rt",
    "rt_env_json", "rt_env_names", "rt_env_toml", "rt_json", "session",
)  # fmt: skip
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Signals(_Strict):
    """Patterns that say what a screen shows. Those of the screen are tried on its last lines, each line by itself.

    In this order: a busy title, a dialog, a busy screen, then a ready one. What fits nothing is unknown, and nothing is
    typed into it.
    """

    busy_title: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    dialog: tuple[str, ...] = ()  # it asks something that a person has to answer: a login, trust, an approval
    ready: tuple[str, ...] = Field(min_length=1)
    draft: str  # a line with its input; group 1 is what was typed there (dim text is a placeholder)
    draft_at: Literal["lowest", "cursor"] = "lowest"  # the lowest line that fits, or the one with the cursor

    @model_validator(mode="after")
    def _patterns(self) -> Signals:
        for pattern in (*self.busy_title, *self.busy, *self.dialog, *self.ready, self.draft):
            try:
                re.compile(pattern)
            except re.error as exc:
                msg = f"the pattern {pattern!r} does not read: {exc}"
                raise ValueError(msg) from exc
        if re.compile(self.draft).groups != 1:
            msg = "the draft pattern needs exactly one group: what was typed"
            raise ValueError(msg)
        return self


class SignIn(_Strict):
    """The user's sign-in files, which a seat with a configuration folder of its own goes on using: never written by rt."""

    env: str = ""  # the variable that moves the user's own folder
    folder: str  # where it is otherwise, such as ~/.agent
    files: tuple[str, ...] = ()  # below it, linked by the same names below {home}
    merged: tuple[str, ...] = ()  # JSON files that are the user's own with what `files` says on top


class Tui(_Strict):
    """The agent's own screen. An element `{options}` of an argv is where model, effort, access and user arguments go.

    Before every start `files` are written below `{home}`, a folder of this seat alone; text in them and in `env` takes the
    same placeholders, and {end:VARIABLE} the last 20 characters of a variable.
    """

    start: tuple[str, ...] = Field(min_length=1)
    resume: tuple[str, ...] = ()  # empty: a new session gets the record instead
    session: Literal["set", "hook", "none"] = "none"  # hook: the CLI tells its id to `rt seat hook`
    hook_session: str = ""  # where the id stands in what the hook is told
    read_only: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    can_be_read_only: bool = True
    env: dict[str, str] = Field(default_factory=dict)
    read_only_env: dict[str, str] = Field(default_factory=dict)
    write_env: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    sign_in: SignIn | None = None
    signals: Signals
    start_seconds: float = 60.0  # how long it may take before its screen has to be known
    unknown_seconds: float = 15.0  # how long an unknown screen is waited for later on

    @model_validator(mode="after")
    def _consistent(self) -> Tui:
        if wrong := self._what_is_wrong():
            raise ValueError(wrong)
        return self

    def _what_is_wrong(self) -> str:
        words = (*self.start, *self.resume, *self.read_only, *self.write, *self.env.values())
        if unknown := {name for word in words for name in _PLACEHOLDER.findall(word)}.difference(
            PLACEHOLDERS
        ):
            return f"unknown placeholder {{{min(unknown)}}}"
        if bool(self.resume) != (self.session != "none"):
            return "a session and a resume argv go together"
        if self.resume and not any("{session}" in word for word in self.resume):
            return "resume without {session} would take whatever session is the latest"
        if any(name.startswith(("/", "~")) or ".." in name.split("/") for name in self.files):
            return "files are written below {home} only"
        return ""
