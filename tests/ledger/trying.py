"""Decisions that are tried and taken back: one transaction for all of them, and a savepoint for each.

A transaction of its own for each costs a shared log a dozen questions to its server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from ledger.writing import Ledger, Transaction

Trial = Callable[[], AbstractContextManager[Transaction]]
"""Begins a trial. The decisions in its block ask every rule, and what they recorded is taken back at its end."""


@contextmanager
def trials(ledger: Ledger) -> Iterator[Trial]:
    """Yield what begins a trial. What is decided in the block and outside of a trial is recorded at the end of the block."""
    with ledger.batch() as writing:
        connection = writing.projection.connection

        @contextmanager
        def trial() -> Iterator[Transaction]:
            connection.exec_driver_sql("SAVEPOINT trial")
            try:
                # rows that a transaction has collected are not in the database yet: one that is taken back is not used again
                own = Transaction(connection, ledger, ledger.signer)
                with ledger._joining(own):
                    yield own
            finally:
                connection.exec_driver_sql("ROLLBACK TO trial")
                connection.exec_driver_sql("RELEASE trial")

        yield trial
