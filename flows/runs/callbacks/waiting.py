"""Lets Ansible sleep while its workers are at work.

Where all forks are at work, Ansible looks ten thousand times a second for one that has ended, and asks the kernel about each; where it
waits for results, a thousand times. That is a tenth of a processor for each run, and more with more forks. Here it sleeps until a
worker ends, and looks for results fifty times a second.
"""

# ruff: noqa: SLF001  Ansible has no other place to change how it waits

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from multiprocessing.connection import wait
from typing import Any

from ansible import constants
from ansible.plugins.callback import CallbackBase
from ansible.plugins.strategy import StrategyBase

DOCUMENTATION = """
name: waiting
type: notification
short_description: lets Ansible sleep while its workers are at work
description: Changes nothing of what is run, or in which order.
"""

LOOK_S = 0.02


def patient(queue_task: Callable[..., None]) -> Callable[..., None]:
    """Return a strategy's function that gives a task to a worker, which waits until one is free before it looks for one."""

    @wraps(queue_task)
    def queue(strategy: Any, *arguments: Any) -> None:
        at_work = [worker.sentinel for worker in strategy._workers if worker is not None and worker.is_alive()]
        if at_work and len(at_work) == len(strategy._workers):
            wait(at_work)
        queue_task(strategy, *arguments)

    return queue


class Waiting(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    """Makes Ansible's own looks rarer, at the beginning of a playbook."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "waiting"

    def v2_playbook_on_start(self, playbook: Any) -> None:  # noqa: ARG002  as Ansible calls it
        """Make them rarer. Ansible has a setting for results alone, which the settings of a site may contain."""
        StrategyBase._queue_task = patient(StrategyBase._queue_task)
        constants.DEFAULT_INTERNAL_POLL_INTERVAL = LOOK_S


CallbackModule = Waiting
"""The name by which Ansible looks for it."""
