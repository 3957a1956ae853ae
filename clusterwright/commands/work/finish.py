"""Record that work is finished.

It then waits for its sign-off, or is done where it needs none. A gate has no work. With --out-of-sequence it is recorded that
what a gate asks for happened, while something before the gate was open. The gate can be signed when nothing is open.

Example:
    clusterwright finish 034@pod-001
    clusterwright finish H01@site --at 2026-10-05 --out-of-sequence 'the lease was signed before the study'

"""

from clusterwright.commands.acting import Reporting
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import Activities, SequenceOption
from ledger.subjects.work import decisions as work


def finish(
    me: Reporting,
    activities: Activities,
    out_of_sequence: SequenceOption = "",
) -> None:
    say_shut_out(me, activities)
    me.each(activities, "finished", work.finish, out_of_sequence=out_of_sequence)
