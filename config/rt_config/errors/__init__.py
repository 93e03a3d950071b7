"""Every error the project raises, in one tree; each has a stable `error_code` and a hint that says what to do.

RoundtableError
├── UsageError                     exit 2: the call itself is wrong
│   ├── BadSlugError               bad_slug
│   ├── BadAddressError            bad_address
│   ├── BadMessageIdError          bad_message_id
│   ├── BadConfigError             bad_config
│   ├── AmbiguousTableError        ambiguous_table
│   ├── NoTableError               no_table
│   ├── UnknownProfileError        unknown_profile
│   ├── UnknownSinkError           unknown_sink
│   ├── NotInASeatError            not_in_a_seat
│   ├── ConfirmationNeededError    confirmation_needed
│   └── WorkdirMissingError        workdir_missing
├── BusError
│   ├── BusDownError               bus_down
│   ├── BusFullError               bus_full
│   ├── BusBusyError               bus_busy
│   ├── DiskFullError              disk_full
│   ├── NoServerError              no_server
│   ├── SchemaNewerError           schema_newer
│   └── SchemaOlderError           schema_older
├── MailboxError
│   ├── UnknownGroupError          unknown_group
│   ├── UnknownPersonError         unknown_person
│   ├── UnknownMessageError        unknown_message
│   │   └── UnknownMailError       unknown_mail
│   ├── UnknownSubscriberError     unknown_subscriber
│   ├── UnknownAddressError        unknown_address
│   ├── NotAMemberError            not_a_member
│   ├── GroupExistsError           group_exists
│   ├── AlreadyMemberError         already_member
│   ├── AlreadySubscriberError     already_subscriber
│   ├── TableGroupError            table_group
│   ├── GroupChangedError          group_changed
│   ├── GroupClosedError           group_closed
│   ├── EmptyBodyError             empty_body
│   ├── BodyTooLargeError          body_too_large
│   ├── IdempotencyConflictError   idempotency_conflict
│   ├── LeaseLostError             lease_lost
│   ├── HoldExceededError          hold_exceeded
│   └── NotDeadError               not_dead
├── TurnError
│   ├── NoTurnError                no_turn
│   ├── UnknownTurnError           unknown_turn
│   ├── TurnClosedError            turn_closed
│   ├── UnusableReplyError         unusable_reply
│   └── BadTokenError              bad_token
├── TableError
│   ├── UnknownTableError          unknown_table
│   ├── UnknownSeatError           unknown_seat
│   ├── SeatExistsError            seat_exists
│   ├── TableEndedError            table_ended
│   ├── TableArchivedError         table_archived
│   ├── HostDownError              host_down
│   ├── StaleHostError             stale_host
│   ├── UnknownCitationError       unknown_citation
│   ├── NoFinalSynthesisError      no_final_synthesis
│   ├── UndrainedError             undrained
│   ├── NoSeatsError               no_seats
│   └── ChecksFailedError          checks_failed
├── FormatError
│   ├── FormatChangedError         format_changed
│   ├── FormatRunningError         format_running
│   ├── NoGateError                no_gate
│   ├── BadChoiceError             bad_choice
│   ├── NoRepliesError             no_replies
│   ├── NoConsensusError           no_consensus
│   ├── TooFewSeatsError           too_few_seats
│   └── NoReportError              no_report
├── KeepingError
│   ├── DamagedFileError           damaged_file
│   ├── FileFailedError            file_failed
│   ├── TableExistsError           table_exists
│   ├── TableBusyError             table_busy
│   ├── ArchiveMissingError        archive_missing
│   ├── SinkFailedError            sink_failed
│   └── SkillNotOursError          skill_not_ours
├── DeckError
│   ├── TmuxMissingError           tmux_missing
│   ├── TmuxTooOldError            tmux_too_old
│   ├── TmuxTimeoutError           tmux_timeout       indeterminate: neither done nor not done
│   ├── TmuxDownError              tmux_down
│   ├── TmuxFailedError            tmux_failed
│   ├── SessionGoneError           session_gone
│   ├── SessionExistsError         session_exists
│   ├── SessionAmbiguousError      session_ambiguous
│   ├── SessionDiedError           session_died
│   ├── WorkdirMismatchError       workdir_mismatch
│   ├── DeckGroupBusyError         deck_group_busy
│   └── NudgeRefusedError          nudge_refused
└── SeatError
    ├── CliMissingError            cli_missing
    ├── CliFailedError             cli_failed
    ├── CliLoginError              cli_login
    ├── CliTimeoutError            cli_timeout
    └── CliSilentError             cli_silent

These modules import nothing else, because the hot door loads them.
"""

from __future__ import annotations

from rt_config.errors._base import RoundtableError
from rt_config.errors._bus import (
    BusBusyError,
    BusDownError,
    BusError,
    BusFullError,
    DiskFullError,
    NoServerError,
    SchemaNewerError,
    SchemaOlderError,
)
from rt_config.errors._deck import (
    DeckError,
    DeckGroupBusyError,
    NudgeRefusedError,
    SessionAmbiguousError,
    SessionDiedError,
    SessionExistsError,
    SessionGoneError,
    TmuxDownError,
    TmuxFailedError,
    TmuxMissingError,
    TmuxTimeoutError,
    TmuxTooOldError,
    WorkdirMismatchError,
)
from rt_config.errors._formats import (
    BadChoiceError,
    FormatChangedError,
    FormatError,
    FormatRunningError,
    NoConsensusError,
    NoGateError,
    NoRepliesError,
    NoReportError,
    TooFewSeatsError,
)
from rt_config.errors._keeping import (
    ArchiveMissingError,
    DamagedFileError,
    FileFailedError,
    KeepingError,
    SinkFailedError,
    SkillNotOursError,
    TableBusyError,
    TableExistsError,
)
from rt_config.errors._mailbox import (
    AlreadyMemberError,
    AlreadySubscriberError,
    BodyTooLargeError,
    EmptyBodyError,
    GroupChangedError,
    GroupClosedError,
    GroupExistsError,
    HoldExceededError,
    IdempotencyConflictError,
    LeaseLostError,
    MailboxError,
    NotAMemberError,
    NotDeadError,
    TableGroupError,
    UnknownAddressError,
    UnknownGroupError,
    UnknownMailError,
    UnknownMessageError,
    UnknownPersonError,
    UnknownSubscriberError,
)
from rt_config.errors._seats import (
    CliFailedError,
    CliLoginError,
    CliMissingError,
    CliSilentError,
    CliTimeoutError,
    SeatError,
)
from rt_config.errors._tables import (
    ChecksFailedError,
    HostDownError,
    NoFinalSynthesisError,
    NoSeatsError,
    SeatExistsError,
    StaleHostError,
    TableArchivedError,
    TableEndedError,
    TableError,
    UndrainedError,
    UnknownCitationError,
    UnknownSeatError,
    UnknownTableError,
)
from rt_config.errors._turns import (
    BadTokenError,
    NoTurnError,
    TurnClosedError,
    TurnError,
    UnknownTurnError,
    UnusableReplyError,
)
from rt_config.errors._usage import (
    AmbiguousTableError,
    BadAddressError,
    BadConfigError,
    BadMessageIdError,
    BadSlugError,
    ConfirmationNeededError,
    NoTableError,
    NotInASeatError,
    UnknownProfileError,
    UnknownSinkError,
    UsageError,
    WorkdirMissingError,
)

__all__ = [
    "AlreadyMemberError", "AlreadySubscriberError", "AmbiguousTableError", "ArchiveMissingError",
    "BadAddressError", "BadChoiceError", "BadConfigError", "BadMessageIdError", "BadSlugError",
    "BadTokenError", "BodyTooLargeError", "BusBusyError", "BusDownError", "BusError", "BusFullError",
    "ChecksFailedError", "CliFailedError", "CliLoginError", "CliMissingError", "CliSilentError",
    "CliTimeoutError", "ConfirmationNeededError", "DamagedFileError", "DeckError", "DeckGroupBusyError",
    "DiskFullError", "EmptyBodyError", "FileFailedError", "FormatChangedError", "FormatError",
    "FormatRunningError", "GroupChangedError", "GroupClosedError", "GroupExistsError", "HoldExceededError",
    "HostDownError", "IdempotencyConflictError", "KeepingError", "LeaseLostError", "MailboxError",
    "NoConsensusError", "NoFinalSynthesisError", "NoGateError", "NoRepliesError", "NoReportError", "NoSeatsError",
    "NoServerError", "NoTableError", "NoTurnError", "NotAMemberError", "NotDeadError", "NotInASeatError",
    "NudgeRefusedError", "RoundtableError", "SchemaNewerError", "SchemaOlderError", "SeatError",
    "SeatExistsError", "SessionAmbiguousError", "SessionDiedError", "SessionExistsError",
    "SessionGoneError", "SinkFailedError", "SkillNotOursError", "StaleHostError", "TableArchivedError", "TableBusyError",
    "TableEndedError", "TableError", "TableExistsError", "TableGroupError", "TmuxDownError",
    "TmuxFailedError", "TmuxMissingError", "TmuxTimeoutError", "TmuxTooOldError", "TooFewSeatsError",
    "TurnClosedError", "TurnError", "UndrainedError", "UnknownAddressError", "UnknownCitationError",
    "UnknownGroupError", "UnknownMailError", "UnknownMessageError", "UnknownPersonError",
    "UnknownProfileError", "UnknownSeatError", "UnknownSinkError", "UnknownSubscriberError", "UnknownTableError",
    "UnknownTurnError", "UnusableReplyError", "UsageError", "WorkdirMismatchError", "WorkdirMissingError",
    "all_errors", "from_code",
]  # fmt: skip


def all_errors() -> dict[str, type[RoundtableError]]:
    """Every error class of the tree by its `error_code`."""
    found: dict[str, type[RoundtableError]] = {}
    stack: list[type[RoundtableError]] = [RoundtableError]
    while stack:
        cls = stack.pop()
        found[cls.error_code] = cls
        stack.extend(cls.__subclasses__())
    return found


def from_code(error_code: str, fields: dict[str, object]) -> RoundtableError:
    """The error of that code with these fields, as a server-side script or another process reported it."""
    return all_errors().get(error_code, RoundtableError)(
        reason=fields.get("reason", error_code), **{k: v for k, v in fields.items() if k != "reason"}
    )
