"""A playbook over hosts that do not depend on one another, wave by wave.

The first wave, the canary, is small. The next ones are slices of the other hosts. No further wave begins once too many hosts
have failed. A host that never answers shows nothing about the playbook: it is no canary, and does not count as failed. Each
wave is an Ansible run of its own, so that memory grows with a wave and not with the number of hosts.
"""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from functools import partial

from flows.runs.process.place import RunPlace
from flows.runs.results.per_host import FAILED, HostResult, PlaybookResult
from flows.runs.run import EventHandler, GroupHandler, Player, RunSpec, ignore, play, run_playbook, say
from steps.catalog.terms import Waves

NOT_BEGUN = "not begun: "
NAMED = 8
"""How many hosts the sentence about a wave names."""


def run_in_waves(
    spec: RunSpec,
    waves: Waves | None,
    *,
    on_event: EventHandler = ignore,
    on_pgid: GroupHandler = ignore,
    cancel: threading.Event,
    player: Player = play,
) -> PlaybookResult:
    """Run a playbook on every host, or until too many have failed. Hosts of waves that did not begin are `skipped`."""
    if waves is not None and len(spec.hosts) > 1:
        player = partial(_in_turn, waves, player)
    return run_playbook(spec, on_event=on_event, on_pgid=on_pgid, cancel=cancel, player=player)


def _in_turn(
    waves: Waves,
    player: Player,
    spec: RunSpec,
    place: RunPlace,
    on_event: EventHandler,
    on_pgid: GroupHandler,
    cancel: threading.Event,
) -> PlaybookResult:
    """Play the waves one after the other. All read the same copy."""
    total = PlaybookResult("ok", digest=place.tree.digest)
    number, left = 0, spec.hosts
    while left:
        total.message = total.message or _why_stop(total, len(spec.hosts), waves)
        if total.message or total.status in {"cancelled", "error"}:
            why = total.message.removeprefix(NOT_BEGUN)
            total.hosts += [HostResult(host, message=f"{NOT_BEGUN}{why}") for host in left]
            break
        number, hosts = number + 1, next_wave(left, waves, canary=all(host.is_absent for host in total.hosts))
        left = left[len(hosts) :]
        sentence = f"WAVE {number}: {', '.join(hosts[:NAMED])}{' ...' if len(hosts) > NAMED else ''}"
        say(spec, sentence, on_event)
        wave = replace(spec, hosts=hosts, work_dir=spec.work_dir / str(number))
        total.add(player(wave, place, on_event, on_pgid, cancel))
        shutil.rmtree(wave.work_dir, ignore_errors=True)
    return total


def next_wave(left: tuple[str, ...], waves: Waves, *, canary: bool) -> tuple[str, ...]:
    """Return the hosts of the next wave. It is a small one until a host has answered."""
    return left[: waves.canary if canary else waves.size]


def _why_stop(total: PlaybookResult, count: int, waves: Waves) -> str:
    """Return why no further wave begins, or an empty text where one may."""
    answered = [host for host in total.hosts if not host.is_absent]
    failed = [host.host for host in answered if host.status in FAILED]
    if failed and len(answered) <= waves.canary:
        return f"{NOT_BEGUN}{', '.join(failed)} of the first wave failed"
    if 100 * len(failed) / count <= waves.max_failed_percent:
        return ""
    return f"{NOT_BEGUN}{len(failed)} of {count} hosts failed, more than {waves.max_failed_percent:g} %"
