"""The flow `play`, on a worker: one slice of an Ansible run.

It runs nothing without a bundle that a dispatcher has sealed to this worker for this slice, and that has the digest of the run's
parameters. It ends with its worker: Prefect would leave it, and it would go on changing hosts.
"""

from __future__ import annotations

import logging
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from prefect import flow
from prefect.client.schemas.objects import State, StateType
from prefect.exceptions import CancelledRun, FailedRun
from prefect.logging import get_run_logger

from flows.engine.parent_death import end_with_parent
from flows.runs.bundle.copy import remove
from flows.runs.process.control_groups import own_group
from flows.runs.process.place import RunPlace
from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunEvent, RunSpec, ignore, last_words
from flows.runs.run import play as play_here
from flows.runs.secrets.access import stated_access
from flows.team.bundle import SliceTerms, digest_of, unpacked, versions
from flows.team.exchange import BUNDLE, ENDED, TAKEN
from flows.team.lease import LEASE_S, LOOK_S, watch
from flows.team.reporting import Reporter
from flows.team.worker_file import FOLDER, Worker, this_process
from flows.threads import beside
from ledger.machine_processes import boot_id
from schedule.errors import ClusterwrightError, InputError, UnreachableError

SHOWN = {"ok": (StateType.COMPLETED, "Ran"), "cancelled": (StateType.CANCELLED, "Stopped")}
"""How a slice is shown that came to an end. Whether its activity is done, the dispatcher judges."""


@flow(name="play", persist_result=False, validate_parameters=False)
def play(slice_name: str, digest: str) -> State[None]:
    """Run one slice. `digest` is that of its bundle, which only this worker can open."""
    end_with_parent()
    logging.getLogger("prefect.flow_runs").addFilter(_is_news)
    worker = Worker(Path(os.environ[FOLDER]))
    taken = {"worker": worker.settings.name, "host": platform.node(), "boot": boot_id(), "pid": os.getpid()}
    try:
        if not worker.exchange.put_once(slice_name, TAKEN, worker.key.signed(slice_name, TAKEN, taken | versions())):
            return State(type=StateType.FAILED, name="Refused", message="another worker has it, or had it")
        result = _run(worker, slice_name, digest)
    except ClusterwrightError as error:
        return State(type=StateType.FAILED, name="Refused", message=str(error))
    kind, name = SHOWN.get(result.status, (StateType.FAILED, "Failed"))
    return State(type=kind, name=name, message=result.message)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a line says more than the state of a slice, which Prefect raises, with a traceback, when it has shown it."""
    return not (record.exc_info and isinstance(record.exc_info[1], FailedRun | CancelledRun))


def _run(worker: Worker, slice_name: str, digest: str) -> PlaybookResult:
    """Run the slice, and report what happens. However it goes, say at the end that nothing of it is left."""
    reporter = Reporter(worker, slice_name)
    with _folder(worker, slice_name) as folder, beside(reporter.write, f"reports {slice_name}"):
        try:
            terms = unpacked(_bundle(worker, slice_name, digest), folder)
            with own_group(folder) as group:
                return _played(worker, terms, RunPlace(folder, terms.tree(folder), group), reporter)
        except ClusterwrightError as error:
            reporter.take(last_words(str(error)))
            raise


@contextmanager
def _folder(worker: Worker, slice_name: str) -> Iterator[Path]:
    """Make the slice's folder, for this account only. At the end nothing of it is left, and that is said."""
    folder, pid = worker.runs / slice_name, worker.pids / slice_name
    pid.write_text(this_process(), encoding="ascii")
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        remove(folder)
        worker.exchange.put(slice_name, ENDED, worker.key.signed(slice_name, ENDED, {}))
        pid.unlink()


def _bundle(worker: Worker, slice_name: str, digest: str) -> bytes:
    """Return the bundle, when the dispatcher has sealed it to this worker. Raise where it is not the one that was meant."""
    began = time.monotonic()
    while (found := worker.exchange.got(slice_name, BUNDLE)) is None:
        if time.monotonic() - began > LEASE_S:
            raise UnreachableError("no dispatcher answers for this slice", hint="only a dispatcher can start one")
        time.sleep(LOOK_S)
    content = worker.key.opened(found)
    if digest_of(content) != digest:
        raise InputError("the bundle has not the digest of the run's parameters: nothing was run")
    return content


def _played(worker: Worker, terms: SliceTerms, place: RunPlace, reporter: Reporter) -> PlaybookResult:
    cancel = threading.Event()
    lease = partial(watch, worker.exchange, terms.slice_name, terms.token, cancel)
    spec = RunSpec(
        playbook=place.tree.playbook,
        inventory=place.tree.inventory,
        hosts=terms.hosts,
        extra_vars=terms.extra_vars,
        work_dir=place.folder,
        log=place.folder / "log",
        check=terms.check,
        limits=terms.bounds(),
        access=stated_access(worker.folder, worker.settings.runs),
    )

    def on_event(event: RunEvent) -> None:
        reporter.take(event.data)
        if event.sentence:
            get_run_logger().info("%s", event.sentence)

    with beside(lease, "lease", is_awaited=False):
        return play_here(spec, place, on_event, ignore, cancel)
