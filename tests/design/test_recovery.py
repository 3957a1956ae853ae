"""Ways to go on after an interruption, against hand calculations and against each other."""

from __future__ import annotations

from math import isclose

import pytest

from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from steps.design.recovery import Recovery, shared_share


def ways(preset: str, **figures: str | float | bool) -> dict[str, Recovery]:
    return {way.name: way for way in dossier_of(design_of_preset(preset, figures)).recovery}


def test_a_quarter_of_the_interruptions_is_no_single_servers() -> None:
    """54 bugs, 35 of the network, 7 time-outs and 2 dependencies of 419 (Llama 3 report)."""
    assert isclose(shared_share(), 98 / 419)


def test_a_server_that_is_away_takes_its_replica_out_of_an_elastic_run() -> None:
    """4.26 servers are away on average; each takes 128 of 10,000 GPUs with it."""
    elastic = ways("h100-10k")["elastic"]

    assert elastic.held_share == pytest.approx(4.2625 * 128 / 10_000, rel=1e-3)
    assert ways("h100-10k", replica_gpus=64)["elastic"].held_share == pytest.approx(elastic.held_share / 2)


def test_one_replica_leaves_nothing_to_go_on_with() -> None:
    assert "elastic" not in ways("h100-8-servers")
    assert ways("localhost") == {}


def test_restarts_keep_hot_spares_back_and_lose_what_checkpoints_say() -> None:
    dossier = dossier_of(design_of_preset("h100-10k"))
    rates, saved = dossier.reliability, dossier.checkpoints
    assert rates
    assert saved

    restart = ways("h100-10k")["restart on a hot spare"]

    assert restart.held_share == rates.hot_spare_share == 8 / 1250
    assert isclose(restart.effective_share, (1 - 8 / 1250) * saved.effective_share)


def test_the_larger_the_cluster_the_better_it_is_to_go_on_without_a_restart() -> None:
    """At 256 GPUs a restart is best; at 100,000 a job is interrupted every half hour, and restarts take half of the time."""
    small, large = ways("superpod-1su"), ways("xai-100k")

    assert next(iter(small)) == "restart on a hot spare"
    assert next(iter(large)) == "elastic"
    assert large["restart on a hot spare"].effective_share < 0.6
    assert large["elastic"].effective_share > 0.7


def test_what_is_computed_twice_is_kept_back_and_bugs_stop_it_all_the_same() -> None:
    redundant = ways("h100-10k")["redundant computation"]

    assert redundant.held_share == 0.075
    assert 0 < redundant.lost_share < ways("h100-10k")["restart on a hot spare"].lost_share
