"""The reference run is one that the cluster can finish, and accelerators fail at their own rate."""

from __future__ import annotations

import pytest

from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from steps.design.preset import preset_names

PUBLISHED = {"llama3-16k": 15.6, "meta-24k": 15.6, "deepseek-2k": 14.8, "a100-superpod": 0.3, "xai-100k": 15}
"""Trillions of tokens of runs that were published."""


@pytest.mark.parametrize("preset", preset_names())
def test_no_reference_run_is_longer_than_its_days(preset: str) -> None:
    dossier = dossier_of(design_of_preset(preset))

    if dossier.training:
        assert 0 < dossier.training.days <= dossier.design.figures["reference_days"] + 1e-9


def test_one_scalable_unit_trains_on_what_it_processes_in_ninety_days() -> None:
    """256 H100 at 40 % of 989 TFLOPS process 70 billion parameters at 241,124 tokens a second."""
    run = dossier_of(design_of_preset("superpod-1su")).training

    assert run
    assert run.tokens_t == pytest.approx(241_124 * 90 * 86_400 / 1e12, rel=1e-4)
    assert run.days == pytest.approx(90)


@pytest.mark.parametrize("preset", PUBLISHED)
def test_a_published_run_keeps_its_tokens(preset: str) -> None:
    run = dossier_of(design_of_preset(preset)).training

    assert run
    assert run.tokens_t == PUBLISHED[preset]


def test_a_tpu_fails_at_its_own_rate() -> None:
    """On a day 0.08 % of machines of 4 chips fail, and cables and optical switches beside them."""
    figures = design_of_preset("tpu-v5p-pod").figures
    a_day = 0.0008 / 4 + 3 * 0.00005 + 48 * 0.0004 / 4096

    assert figures["gpu_hours_per_interruption"] == pytest.approx(24 / a_day, rel=0.01)
    assert (
        figures["gpu_hours_per_interruption"] != design_of_preset("superpod-1su").figures["gpu_hours_per_interruption"]
    )
