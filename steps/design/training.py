"""The time of training: 6 N D floating-point operations (Kaplan et al. 2020); N is the parameters active for a token.

The reference run is scaled to the cluster: it has the tokens of the design where they take at most `reference_days`, and
otherwise as many as the cluster processes in that time.
"""

from __future__ import annotations

from typing import NamedTuple

from steps.design.figures import Figures

SECONDS_A_DAY = 86400


class Training(NamedTuple):
    """The reference run on the whole site; `tokens_t` are its tokens in trillions, days are without and with interruptions."""

    tokens_t: float
    peak_eflops: float
    flop: float
    days: float
    days_with_interruptions: float
    tokens_per_second: float
    gpu_hours: float
    memory_tb: float


def flops(params_b: float, tokens_t: float) -> float:
    """Return the floating-point operations of training: 6 for each parameter and token."""
    return 6 * params_b * 1e9 * tokens_t * 1e12


def peak_eflops(gpus: float, tflops: float) -> float:
    """Return the peak of a cluster in EFLOPS; one has a million TFLOPS."""
    return gpus * tflops / 1e6


def days(flop: float, peak_eflops: float, mfu: float) -> float:
    """Return the days that `flop` operations take at a peak and a utilisation (`mfu`, 0 to 1)."""
    return flop / (peak_eflops * 1e18 * mfu) / SECONDS_A_DAY


def tokens_per_second(peak_eflops: float, mfu: float, params_b: float) -> float:
    """Return the tokens that training processes in a second."""
    return peak_eflops * 1e18 * mfu / (6 * params_b * 1e9)


def training_of(f: Figures, *, effective_share: float) -> Training | None:
    """Return the reference run of a design; None if its accelerators have no peak."""
    gpus = f["nodes"] * f["gpus_per_node"]
    peak = peak_eflops(gpus, f["gpu_tflops"])
    if peak == 0:
        return None
    active = f["active_params_b"] or f["model_params_b"]
    speed = tokens_per_second(peak, f["mfu"], active)
    tokens_t = min(f["training_tokens_t"], speed * f["reference_days"] * SECONDS_A_DAY / 1e12)
    flop = flops(active, tokens_t)
    plain = days(flop, peak, f["mfu"])
    lasting = plain / effective_share if effective_share > 0 else float("inf")
    return Training(
        tokens_t=tokens_t,
        peak_eflops=peak,
        flop=flop,
        days=plain,
        days_with_interruptions=lasting,
        tokens_per_second=speed,
        gpu_hours=plain * 24 * gpus,
        memory_tb=gpus * f["gpu_memory_gb"] / 1000,
    )
