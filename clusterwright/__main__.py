"""The process edge: errors become messages and exit codes here, and nowhere else."""

import os
import sys

from clusterwright.app import app
from clusterwright.output import clean
from steps.errors import (
    ClusterwrightError,
    InputError,
    NotSatisfiedError,
    UnreachableError,
    WaitingError,
)

EXIT_CODES: tuple[tuple[type[ClusterwrightError], int], ...] = (
    (NotSatisfiedError, 1),
    (InputError, 2),
    (UnreachableError, 3),
    (WaitingError, 4),
)
INTERRUPTED = 130


def exit_code(error: ClusterwrightError) -> int:
    """Return the exit code of an error, by its kind."""
    return next(code for kind, code in EXIT_CODES if isinstance(error, kind))


def main() -> None:
    """Run the command line."""
    try:
        app()
    except ClusterwrightError as error:
        print(clean(f"clusterwright: {error}"), file=sys.stderr)
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
