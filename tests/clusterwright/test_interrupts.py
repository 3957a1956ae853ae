"""Ctrl-C while the program starts."""

from __future__ import annotations

import signal
import subprocess
import sys

STARTING = """
import signal, weakref
from clusterwright.interrupts import ends_at_interrupt

class Module: ...

loaded = Module()
of_the_import_system = weakref.ref(loaded, lambda _: signal.raise_signal(signal.SIGINT))
with ends_at_interrupt():
    del loaded
print("went on")
"""
"""Python prints an exception that is raised in such a callback, and goes on: so an engine outlived the screens that had started it."""

STARTED = """
import signal
from clusterwright.interrupts import ends_at_interrupt

with ends_at_interrupt():
    pass
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("a command ends in its own way")
"""


def test_an_interrupt_while_modules_are_imported_is_never_lost() -> None:
    done = subprocess.run([sys.executable, "-c", STARTING], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_command_that_has_begun_hears_of_an_interrupt() -> None:
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)

    assert done.stdout == "a command ends in its own way\n"
