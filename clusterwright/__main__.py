"""The process edge: errors become messages and exit codes here, and nowhere else."""

import gc
import os
import sys
from pathlib import Path

from clusterwright.foreseen import foreseen
from clusterwright.interrupts import ends_at_interrupt
from clusterwright.output import clean
from schedule.errors import (
    ClusterwrightError,
    InputError,
    NotSatisfiedError,
    ReaderGoneError,
    UnreachableError,
    WaitingError,
)

EXIT_CODES: tuple[tuple[type[ClusterwrightError], int], ...] = (
    (NotSatisfiedError, 1),
    (InputError, 2),
    (UnreachableError, 3),
    (WaitingError, 4),
)
FAULT = 5
"""A fault of ours: an exception that nobody foresaw."""

INTERRUPTED = 130

SELDOM = (1_000_000, 20, 100)
"""When Python looks for garbage. A large plan is a million objects that stay; to look at them often takes a third of the time."""


def exit_code(error: ClusterwrightError) -> int:
    """Return the exit code of an error, by its kind."""
    return next(code for kind, code in EXIT_CODES if isinstance(error, kind))


def main() -> None:
    """Run the command line."""
    gc.set_threshold(*SELDOM)
    try:
        _prepare_streams()
        _refuse_other_encodings(sys.argv)
        _run()
    except (BrokenPipeError, ReaderGoneError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001  the edge of the process
        _end(error)


def _run() -> None:
    with ends_at_interrupt():
        from clusterwright.app import app

    try:
        app()
    finally:
        gc.freeze()  # the process ends: nobody needs the garbage to be found
        sys.stdout.flush()  # a full disk or a reader that has gone is an error with a message, not one at exit


def _end(error: Exception) -> None:
    """Say what happened, and end with the code for it."""
    known = error if isinstance(error, ClusterwrightError) else foreseen(error)
    if known is not None:
        print(clean(f"clusterwright: {known}"), file=sys.stderr)
        sys.exit(exit_code(known))
    from clusterwright.fault_report import explained

    print(explained(error, sys.argv[1:]), file=sys.stderr)
    sys.exit(FAULT)


def _prepare_streams() -> None:
    """Open what the caller closed, lest a database be opened as stdout. Marks that the terminal cannot show are escaped."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  until the process ends
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  the same
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _refuse_other_encodings(words: list[str]) -> None:
    """Raise for a word that is not UTF-8: it can be neither shown nor recorded."""
    for number, word in enumerate(words):
        if not word.isascii() and any("\ud800" <= mark <= "\udfff" for mark in word):
            raise InputError(
                f"word {number} of the command line is not UTF-8 text: {ascii(word)[:80]}",
                hint="rename the file, or set the terminal to UTF-8",
            )


if __name__ == "__main__":
    main()
