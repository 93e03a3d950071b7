"""What a discussion came to, read from its steps: positions, critiques, votes, scores, who dissents. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rt_moderator.engine.labels import named
from rt_moderator.engine.model import Answer, Failure, Seat, Step
from rt_moderator.formats.debating import critiques, digests, reading, scores, votes
from rt_moderator.formats.debating.critiques import Critique
from rt_moderator.formats.debating.scores import Consensus, Scores
from rt_moderator.formats.debating.synthesis import Dissent
from rt_moderator.formats.debating.votes import Ballot

_FAR = 2  # a score up to this is a disagreement that has to be told


@dataclass(frozen=True, slots=True)
class Reread:
    """A round in which seats read each other, with the labels each reader had."""

    number: int
    step: Step
    labels: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a seat stood, by one message of its own."""

    seat: str
    seq: int
    round: int
    text: str
    inferred: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)  # what it calls others in this text

    @property
    def plain(self) -> str:
        """The text with slugs for labels."""
        return named(self.text, self.labels)


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that is counted or quoted of a discussion."""

    stands: tuple[Stand, ...] = ()
    by_message: Mapping[int, str] = field(default_factory=dict)
    critiques: tuple[Critique, ...] = ()
    ballots: tuple[Ballot, ...] = ()
    scores: Mapping[str, Scores] = field(default_factory=dict)
    consensus: Consensus = field(default_factory=Consensus)
    unscored: tuple[str, ...] = ()  # read their peers in the last round, and gave no readable score
    failures: tuple[tuple[str, Failure], ...] = ()  # step, who did not answer it
    reread: bool = False

    @property
    def dissents(self) -> list[Dissent]:
        """Who has to be heard in a synthesis, by seat: other votes than the leading one, and scores of 1 or 2."""
        found: dict[str, list[str]] = {}
        options = votes.tally({ballot.seat: ballot.final for ballot in self.ballots})
        top = votes.leading(options)
        apart = [option for option in options if option != top] if len(options) > 1 else []
        for option in apart:
            for seat in option.seats:
                found.setdefault(seat, []).append("votes for something else than others")
        for seat, given in self.scores.items():
            for peer, score in sorted(given.given.items()):
                if score <= _FAR and peer not in given.inferred:
                    found.setdefault(seat, []).append(f"scores {peer} {score}/5")
        return [Dissent(seat, ", ".join(what)) for seat, what in sorted(found.items())]


def find(first: Step, rereads: Sequence[Reread] = (), second: Step | None = None) -> Findings:
    """The findings of a blind round, the rounds of critique after it, and a second stage."""
    steps = [first, *(one.step for one in rereads), *([second] if second else [])]
    held = [one for one in rereads if one.step.answers]
    last = held[-1] if held else None
    given = _scores(last) if last else {}
    return Findings(
        tuple(_stands(first, held, second)),
        {answer.seq: answer.seat for step in steps for answer in step},
        tuple(_critiques(held)),
        tuple(_ballots(first, held, second)),
        given,
        scores.consensus(given),
        tuple(sorted(set(last.step.seats) - set(given))) if last else (),
        tuple((step.name, failure) for step in steps for failure in step.failures),
        reread=bool(held),
    )


def latest(first: Step, rereads: Iterable[Reread]) -> dict[str, Stand]:
    """Seat → where it stands now: its last revision, else its digest of round 1."""
    found = {answer.seat: _digest(answer, first.round or 1) for answer in first}
    for one in rereads:
        found |= {stand.seat: stand for answer in one.step if (stand := _revision(answer, one))}
    return found


def names(seats: Iterable[Seat]) -> dict[str, str]:
    """Slug → what the person's view calls it."""
    return {seat.slug: seat.name or seat.role or seat.slug for seat in seats}


def _stands(first: Step, held: Sequence[Reread], second: Step | None) -> list[Stand]:
    found = [_digest(answer, first.round or 1) for answer in first]
    found += [stand for one in held for answer in one.step if (stand := _revision(answer, one))]
    found += [_digest(answer, second.round) for answer in second] if second else []
    return found


def _digest(answer: Answer, number: int) -> Stand:
    digest = digests.digest_of(answer.text)
    return Stand(answer.seat, answer.seq, number, digest.marked, digest.inferred)


def _revision(answer: Answer, reread: Reread) -> Stand | None:
    text = (reading.section(answer.text, "revision") or "").strip()
    said = text.strip(" .*_-").casefold()
    if not said or said in ("none", "no", "no change", "unchanged", "n/a", "nothing changed"):
        return None
    labels = reread.labels.get(answer.seat, {})
    return Stand(answer.seat, answer.seq, reread.number, text, labels=labels)


def _critiques(held: Iterable[Reread]) -> list[Critique]:
    return [
        found
        for one in held
        for answer in one.step
        for found in critiques.read_critiques(
            answer.text, answer.seat, answer.seq, one.labels.get(answer.seat, {})
        )
    ]


def _ballots(first: Step, held: Sequence[Reread], second: Step | None) -> list[Ballot]:
    rounds = [first, *(one.step for one in held)]
    found = votes.ballots([{answer.seat: answer.text for answer in step} for step in rounds])
    found = [replace(ballot, why=_named(ballot.why, ballot.seat, held)) for ballot in found]
    for answer in second or ():
        vote = votes.vote_of(answer.text)
        found.append(Ballot(answer.seat, vote, vote))
    return found


def _named(text: str, seat: str, held: Iterable[Reread]) -> str:
    """With slugs for the labels of the last round that the seat answered."""
    labels: Mapping[str, str] = {}
    for one in held:
        labels = one.labels.get(seat, {}) if one.step.of(seat) else labels
    return named(text, labels)


def _scores(last: Reread) -> dict[str, Scores]:
    read = {
        answer.seat: scores.read_scores(answer.text, last.labels.get(answer.seat, {})) for answer in last.step
    }
    return {seat: found for seat, found in read.items() if found is not None}
