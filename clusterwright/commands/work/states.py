"""The states that people bring work into."""

from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting, SigningReport
from clusterwright.commands.consequences import say_shut_out
from clusterwright.commands.options import Activities, ReasonOption, SequenceOption
from ledger.subjects.work import decisions as work


def start(me: Reporting, activities: Activities, out_of_sequence: SequenceOption = "") -> None:
    """Record that work has started.

    Say it as the person who does the work, or with --as for another person of this account. What began while something before it was
    open is recorded with --out-of-sequence. What comes after it still waits. `clusterwright why` says what is open.

    Example:
        clusterwright start 034@pod-001
        clusterwright start 'H08@*' --at 2026-11-21T08:00+01:00
        clusterwright start 105@pod-001 --at 2026-10-05 --out-of-sequence 'the crew was free'

    """
    say_shut_out(me, activities)
    me.each(activities, "started", work.start, out_of_sequence=out_of_sequence)


def finish(me: Reporting, activities: Activities, out_of_sequence: SequenceOption = "") -> None:
    """Record that work is finished.

    It then waits for its sign-off, or is done where it needs none. A gate has no work. With --out-of-sequence it is recorded that
    what a gate asks for happened, while something before the gate was open. The gate can be signed when nothing is open.

    Example:
        clusterwright finish 034@pod-001
        clusterwright finish H01@site --at 2026-10-05 --out-of-sequence 'the lease was signed before the study'

    """
    say_shut_out(me, activities)
    me.each(activities, "finished", work.finish, out_of_sequence=out_of_sequence)


def hold(me: Reporting, activities: Activities, reason: ReasonOption) -> None:
    """Stop an activity until it is resumed.

    Example:
        clusterwright hold 034@pod-001 --reason 'no power in row 2'

    """
    me.each(activities, "on hold", work.hold, reason)


def resume(me: Reporting, activities: Activities, reason: ReasonOption = "") -> None:
    """Let a held activity go on.

    Example:
        clusterwright resume 034@pod-001

    """
    me.each(activities, "resumed", work.resume, reason)


def reopen(
    me: Reporting,
    activities: Activities,
    reason: ReasonOption,
    host: Annotated[
        list[str] | None, Option("--host", help="Only on this host; the results of the others stand.", metavar="NAME")
    ] = None,
) -> None:
    """Open finished work again.

    It begins another attempt, and what rested on it becomes stale. With --host, as for a server that was replaced, software does it
    again on that host alone, and what rested on it becomes stale at the same pod alone.

    Example:
        clusterwright reopen 034@pod-001 --reason 'the image was changed'
        clusterwright reopen 031@pod-001 034@pod-001 --host pod-001-n07 --reason 'RMA 4711: board replaced'

    """
    me.each(activities, "open again", work.reopen, reason, hosts=tuple(host or ()))


def na(me: SigningReport, activities: Activities, reason: ReasonOption) -> None:
    """Decide that an activity does not apply.

    What comes after it then waits for what comes before it.

    Example:
        clusterwright na 105@pod-001 --reason 'the hall has its own containment'

    """
    me.each(activities, "not applicable", work.na, reason)
