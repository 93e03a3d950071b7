"""How an audit begins: what it is about, the brief, the limits, and what the target looked like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import env
from rt_moderator.engine.options import Options
from rt_moderator.formats.audit import brief as briefs
from rt_moderator.formats.audit import fingerprint, target

if TYPE_CHECKING:
    from rt_moderator.engine.table import Table

ROUNDS, MIN_ROUNDS, TURN_SECONDS, BUDGET_MINUTES = 3, 2, 900.0, 60.0
DEFAULTS = {
    "rounds": ROUNDS,
    "min_rounds": MIN_ROUNDS,
    "turn_timeout": TURN_SECONDS,
    "budget_min": BUDGET_MINUTES,
}
_MOST_CHARS = 60_000  # of a brief where it enters a request; the case keeps it whole
USES = frozenset(
    {
        "base", "brief", "budget_min", "budget_usd", "context", "lenses", "min_rounds", "moderator", "named", "on_deadlock",
        "out", "prior", "require_consensus", "rounds", "roster", "steering", "synthesizer", "target", "turn_timeout", "veto",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """What is audited, and by which numbers. `print` is the target's first fingerprint."""

    target: target.Target
    brief: str
    print: Mapping[str, Any]
    rounds: int = ROUNDS
    min_rounds: int = MIN_ROUNDS
    seconds: float = TURN_SECONDS
    warnings: tuple[str, ...] = ()


async def opened(table: Table) -> Case:
    """The case of this table; what has to be looked up is looked up once."""
    options, cwd = table.options, table.fields.get("cwd", "")

    def found() -> dict[str, Any]:
        aim = target.recognised(options.target, options.base, table.topic, cwd)
        text = options.brief or briefs.made(aim, table.fields, _context(options))
        return {"target": aim.as_json(), "brief": text}

    known = await table.once("case", found, slow=True)
    aim, text = target.from_json(known["target"]), str(known["brief"])
    first = await table.once("target.before", lambda: looked(aim, options.out, cwd), slow=True)
    rounds = max(1, options.rounds if options.rounds is not None else ROUNDS)
    least = options.min_rounds or MIN_ROUNDS
    warnings = [*options.notes, *briefs.warnings(text), *aim.notes]
    if len(text) > _MOST_CHARS:
        text = f"{text[:_MOST_CHARS]}\n[… cut]"
    if least > rounds:
        warnings.append(
            f"{rounds} rounds at most and {least} at least before a consensus counts: there can be none."
        )
    if first["covered"].startswith("nothing") and aim.kind != "text":
        warnings.append(
            f"Whether the target changes cannot be seen: its fingerprint covers {first['covered']}."
        )
    for at, warning in enumerate(warnings, 1):
        await table.tell(f"case.warning{at}", warning)
    return Case(aim, text, first, rounds, least, options.turn_timeout or TURN_SECONDS, tuple(warnings))


def looked(aim: target.Target, out: str, cwd: str) -> dict[str, Any]:
    """The target's fingerprint without what the run itself writes."""
    own = [env.home(), *([str(Path(cwd, out))] if out else [])]
    return fingerprint.of(aim.folder, own, walk=aim.kind != "text")


def _context(options: Options) -> str:
    prior = f"An earlier table's result, as prior context:\n\n{options.prior}" if options.prior else ""
    return "\n\n".join(filter(None, (options.context, prior)))
