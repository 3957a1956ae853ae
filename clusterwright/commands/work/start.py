"""Record that work has started.

Say it as the person who does the work, or with --as for another person of this account. What began while something before it was
open is recorded with --out-of-sequence. What comes after it still waits. `clusterwright why` says what is open.

Example:
    clusterwright start 034@pod-001
    clusterwright start 'H08@*' --at 2026-11-21T08:00+01:00
    clusterwright start 100@hall-1 --at 2026-10-05 --out-of-sequence 'the crew was free'

"""

from clusterwright.commands.acting import Reporting
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import Activities, SequenceOption
from ledger.subjects.work import decisions as work


def start(
    me: Reporting,
    activities: Activities,
    out_of_sequence: SequenceOption = "",
) -> None:
    say_shut_out(me, activities)
    me.each(activities, "started", work.start, out_of_sequence=out_of_sequence)
