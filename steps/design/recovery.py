"""Ways to go on after an interruption: what each keeps back, what each loses, and what is left for training.

Three ways of the comparison of frontier clusters (docs/reference/sources.md, text 003): restart from a checkpoint on a hot spare, go on with
fewer servers (elastic), and compute twice what must not be lost (redundant). The last two survive the loss of one server. They restart
from a checkpoint as well when the cause is not one server's (`SHARED_CAUSES`).
"""

from __future__ import annotations

from typing import NamedTuple

from steps.design.checkpoints import Checkpoints, lost_share, young_interval_s
from steps.design.figures import Figures
from steps.design.reliability import ALL_CAUSES, MIX, Reliability

SHARED_CAUSES = ("software bug", "network switch or cable", "NCCL watchdog timeout", "dependency")
"""Causes that stop more than one server. The others are one server's own."""


class Recovery(NamedTuple):
    """One way; `held_share` of the GPUs do not train, and `effective_share` of all GPU-hours does."""

    name: str
    stop_s: float
    held_share: float
    lost_share: float
    effective_share: float


def shared_share() -> float:
    """Return the share of interruptions that stop more than one server."""
    return sum(MIX[cause] for cause in SHARED_CAUSES) / ALL_CAUSES


def recoveries_of(f: Figures, rates: Reliability | None, saved: Checkpoints | None) -> tuple[Recovery, ...]:
    """Return the ways that a design has, the best one first; none without accelerators or for a single server."""
    if rates is None or saved is None or f["nodes"] < 2:
        return ()
    ways = [_restarting(f, rates, saved), *_elastic(f, rates, saved), _redundant(f, rates, saved)]
    return tuple(sorted(ways, key=lambda way: -way.effective_share))


def _restarting(f: Figures, rates: Reliability, saved: Checkpoints) -> Recovery:
    return _way("restart on a hot spare", f["restart_min"] * 60, rates.hot_spare_share, 1 - saved.effective_share)


def _elastic(f: Figures, rates: Reliability, saved: Checkpoints) -> tuple[Recovery, ...]:
    """Return the elastic way; none if the GPUs hold a single replica of the model, which nothing could go on without."""
    replica = f["replica_gpus"] / (f["nodes"] * f["gpus_per_node"])
    if replica > 1 / 2:
        return ()
    # a server that is away takes its whole replica out of the run
    held = min(1.0, rates.servers_away * replica)
    survived = (1 - shared_share()) * f["elastic_stop_s"] / (rates.mtbf_h * 3600)
    return (_way("elastic", f["elastic_stop_s"], held, survived + _lost_to_shared_causes(f, rates, saved)),)


def _redundant(f: Figures, rates: Reliability, saved: Checkpoints) -> Recovery:
    return _way("redundant computation", 0.0, f["redundant_share"], _lost_to_shared_causes(f, rates, saved))


def _lost_to_shared_causes(f: Figures, rates: Reliability, saved: Checkpoints) -> float:
    """Return the share of time that checkpoints and restarts cost if only shared causes need them."""
    mtbf_s = rates.mtbf_h * 3600 / shared_share()
    interval_s = young_interval_s(saved.pause_s, mtbf_s)
    writing = min(1.0, saved.pause_s / interval_s)
    return 1 - (1 - writing) * (1 - lost_share(interval_s, f["restart_min"] * 60, mtbf_s))


def _way(name: str, stop_s: float, held: float, lost: float) -> Recovery:
    lost = min(1.0, lost)
    return Recovery(name, stop_s, held, lost, (1 - held) * (1 - lost))
