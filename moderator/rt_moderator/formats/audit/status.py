"""What a seat of an audit says in a form: its status at the end of every reply, and its vote in the veto. Pure.

The models validate what came and generate the schema that is shown to the agent; nothing is guessed: what does not read as
exactly one block of the form raises ValueError, with what is wrong in words that its writer can act on.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

STATUS, VETO = "roundtable-status", "roundtable-veto"
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$")
_MOST_FINDINGS = 30

Severity = Literal["blocking", "major", "minor"]
State = Literal["open", "held", "withdrawn", "resolved"]
Verdict = Literal["agree", "object", "abstain"]
_Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Finding(_Form):
    """One finding as one seat sees it now."""

    id: Annotated[str, StringConstraints(strip_whitespace=True, max_length=40)] = Field(
        default="new", description='as listed in the request, such as "F3"; "new" for one that is not listed'
    )
    title: _Title = Field(description="one line")
    severity: Severity = Field(description="blocking: nobody should go on before it is settled")
    state: State = Field(
        description="open: new; held: it stands; withdrawn: it was wrong; resolved: a proposal settles it"
    )
    evidence: _Text = Field(
        default="", description="file and line, command and output, or the reasoning; in your own words"
    )
    proposal: _Text = Field(default="", description="what would settle it")

    @property
    def stands(self) -> bool:
        """Whether its holder still wants something done about it before anything else."""
        return self.state in ("open", "held")

    @property
    def blocks(self) -> bool:
        """Whether it stands in the way of consensus."""
        return self.severity == "blocking" and self.stands

    @property
    def known_as(self) -> str:
        """The id it was given, in capitals; empty for a new one."""
        return "" if self.id.casefold() in ("", "new") else self.id.upper()

    @model_validator(mode="after")
    def _shown(self) -> Finding:
        if self.blocks and not self.evidence:
            msg = f"the blocking finding {self.title[:60]!r} has no evidence"
            raise ValueError(msg)
        return self


class Status(_Form):
    """Where a seat stands at the end of its reply."""

    verdict: Verdict = Field(description="on the result as it would stand now, not on the target")
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)
    findings: list[Finding] = Field(default_factory=list, max_length=_MOST_FINDINGS)

    @model_validator(mode="after")
    def _no_two_alike(self) -> Status:
        for what, names in (
            ("id", [one.known_as for one in self.findings if one.known_as]),
            ("title", [same_title(one.title) for one in self.findings]),
        ):
            if twice := next((name for at, name in enumerate(names) if name in names[:at]), ""):
                msg = f"two findings have the {what} {twice[:60]!r}"
                raise ValueError(msg)
        return self


class Objection(_Form):
    """One thing in a draft that a seat does not accept."""

    where: _Title = Field(description="a finding such as F3, or a section of the draft")
    why: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
    wants: _Text = Field(default="", description="what the draft should say")


class Vote(_Form):
    """A seat's vote over the draft."""

    vote: Literal["approve", "object", "abstain"]
    objections: list[Objection] = Field(default_factory=list, max_length=_MOST_FINDINGS)

    @model_validator(mode="after")
    def _fits(self) -> Vote:
        if (self.vote == "object") != bool(self.objections):
            msg = (
                "an objection needs its reason"
                if self.vote == "object"
                else f"{self.vote} comes with objections"
            )
            raise ValueError(msg)
        return self


def status(text: str) -> Status:
    """The status block at the end of a reply.

    Raises:
        ValueError: none, several that differ, or one that is not of the form.
    """
    return _read(text, STATUS, Status)


def vote(text: str) -> Vote:
    """The vote in a reply to a draft.

    Raises:
        ValueError: as `status`.
    """
    return _read(text, VETO, Vote)


def schema(model: type[BaseModel]) -> str:
    """The JSON schema of a form as an agent is shown it, without the noise of titles."""
    return json.dumps(_slim(model.model_json_schema()), ensure_ascii=False)


def same_title(title: str) -> str:
    """What two titles of one finding have in common: no case, no punctuation, no spaces to speak of."""
    return " ".join(re.findall(r"\w+", title.casefold())) or title.strip()


_Model = TypeVar("_Model", bound=BaseModel)


def _read(text: str, label: str, model: type[_Model]) -> _Model:
    found = list(dict.fromkeys(block.strip() for block in blocks(text, label)))
    if len(found) != 1:
        msg = (
            f"there are {len(found)} different {label} blocks"
            if found
            else f"there is no fenced block {label}"
        )
        raise ValueError(msg)
    try:
        return model.model_validate(json.loads(found[0], parse_constant=_no_constant))
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        what = first["msg"].removeprefix("Value error, ")
        msg = f"{label}: {where}: {what}" if where else f"{label}: {what}"
        raise ValueError(msg) from exc
    except RecursionError as exc:
        msg = f"{label} is nested too deep"
        raise ValueError(msg) from exc
    except ValueError as exc:
        msg = f"{label} is not JSON: {exc}"
        raise ValueError(msg) from exc


def _no_constant(name: str) -> float:
    msg = f"{name} is no number here"
    raise ValueError(msg)


def blocks(text: str, label: str) -> list[str]:
    """The content of the fenced blocks of that label; one inside another block is not one, one without an end is."""
    found: list[str] = []
    lines: list[str] = []
    fence, wanted = "", False
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if not fence and mark:
            fence, lines, wanted = mark[1], [], mark[2].casefold() == label
        elif fence and mark and not mark[2] and mark[1].startswith(fence):
            if wanted:
                found.append("\n".join(lines))
            fence = ""
        elif fence:
            lines.append(line)
    return [*found, "\n".join(lines)] if fence and wanted else found


def _slim(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: _slim(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_slim(item) for item in schema] if isinstance(schema, list) else schema
