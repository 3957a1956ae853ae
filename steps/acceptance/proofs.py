"""Proofs: what a script of the role `proof` found where it ran, one JSON document of a value and a note for each metric.

A proof counts cases itself, as a tool does; here its word is only taken where it is of the right sort. A value of null is
what the proof could not try; its note says why.
"""

from __future__ import annotations

from collections.abc import Mapping

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric


def proved(name: str, unit: str) -> Metric:
    """Give a metric that a proof measures."""

    def read(handed: Handed) -> Found:
        entry = handed.document("proof")[name]
        value, note = entry["value"], entry["note"]
        if not isinstance(note, str):
            handed.garbled()
        if value is None:
            raise NotMeasuredError(note)
        if unit == "bool":
            if not isinstance(value, bool):
                handed.garbled()
            return Found(value, note)
        return Found(number(value), note)

    return Metric(name, unit, read)


STEPS: Mapping[str, tuple[Metric, ...]] = {
    "069": (proved("alerts.rules_fired_on_purpose_ratio", "ratio"), proved("alerts.delivery_max_s", "s")),
    "120": (proved("alert.test_fired_ratio", "ratio"),),
    "142": (
        proved("provision.unattended_ok_ratio", "ratio"),
        proved("provision.minutes", "minute"),
        proved("provision.served_ratio", "ratio"),
    ),
    "143": (proved("config.second_run_changes", "count"),),
    "145": (proved("logging.sources_present_ratio", "ratio"), proved("logging.search_delay_s", "s")),
    "146": (proved("auth.login_with_replica_down", "bool"), proved("auth.closed_account_minutes", "minute")),
    "147": (proved("ssh.password_logins_possible", "count"),),
    "149": (proved("cuda.sample_failures", "count"),),
    "150": (proved("cudnn.version_match_ratio", "ratio"),),
    "151": (proved("nccl.version_match_ratio", "ratio"), proved("nccl.single_node_errors", "count")),
    "153": (proved("container.gpus_seen", "count"),),
    "154": (proved("framework.smoke_failures", "count"),),
    "155": (proved("framework.step_time_ratio", "ratio"),),
    "156": (proved("scheduler.failover_s", "s"), proved("scheduler.test_job_failures", "count")),
    "157": (proved("queue.policy_test_failures", "count"),),
    "158": (proved("gres.unallocated_gpus_visible", "count"),),
    "159": (proved("gang.partial_starts", "count"),),
    "160": (proved("preempt.lost_steps", "count"),),
    "161": (proved("submit.ways_failed", "count"),),
    "162": (proved("reservation.intruding_jobs", "count"),),
    "163": (proved("accounting.gpu_hours_error", "percent"),),
    "164": (proved("notify.events_missed", "count"),),
    "165": (proved("chain.wrong_order", "count"),),
    "166": (proved("metrics.scrape_gap_s", "s"),),
    "173": (proved("dashboard.panels_without_data", "count"),),
    "174": (proved("alert.rules_untested", "count"), proved("alert.page_delay_s", "s")),
    "175": (proved("anomaly.injected_missed", "count"),),
    "176": (proved("instrument.series_missing", "count"),),
    "177": (proved("training.series_missing", "count"),),
    "178": (proved("throughput.error", "percent"),),
    "179": (proved("straggler.injected_missed", "count"),),
    "180": (proved("profile.overhead", "percent"),),
    "181": (proved("checkpoint.series_missing", "count"),),
    "182": (proved("loader.injected_stall_missed", "count"),),
    "183": (proved("experiment.repeated_ok", "bool"),),
    "184": (proved("audit.findings_without_owner", "count"),),
    "185": (proved("training.mfu_change", "percent"),),
}
"""Steps whose playbooks end with a proof, in the order of their criteria."""
