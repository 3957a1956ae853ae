"""Show one non-conformance.

Example:
    clusterwright ncr show NCR-0001

"""

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import NcrId
from clusterwright.output import in_line
from ledger.questions.ncrs import require_ncr
from ledger.rules.rows import NcrRow


def show(
    ask: Asking,
    ncr: NcrId,
) -> None:
    with ask.record() as snapshot:
        found = require_ncr(snapshot, ncr)
        ask.answer(snapshot, found, lambda: _print(found))


def _print(found: NcrRow) -> None:
    for name, value in found._asdict().items():
        print(f"{name:<12} {in_line('' if value is None else value)}".rstrip())
