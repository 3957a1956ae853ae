"""Metrics that proofs measure.

A proof is a script of the playbook role `proof`. It prints one JSON document with a value and a note for each metric. The
script counts its cases itself, as a tool does. A value of the wrong type is not measured. A value of null means that the
script could not try it; the note says why.
"""

from __future__ import annotations

from typing import Any

from steps.acceptance.handed import GARBLED, Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric

PROOF = "proof"
"""The kind of the outputs of proofs. A run may have several, each under the name of its script."""

SIGNED = frozenset({"training.unused_speed_up"})
"""Metrics that may be less than nothing: the best other setting is slower."""


def proved(name: str, unit: str) -> Metric:
    """Return the metric of this name that a proof measures, in `unit`."""

    def read(handed: Handed) -> Found:
        entry = _entry(handed, name)
        value, note = entry["value"], entry["note"]
        if not isinstance(note, str):
            handed.garbled()
        if value is None:
            raise NotMeasuredError(note)
        if unit == "bool":
            if not isinstance(value, bool):
                handed.garbled()
            return Found(value, note)
        if name in SIGNED and not isinstance(value, bool) and str(value).startswith("-"):
            return Found(-number(str(value)[1:]), note)
        return Found(number(value), note)

    return Metric(name, unit, read)


def _entry(handed: Handed, name: str) -> Any:
    """Return what a proof of this run has about a metric. Raise why it has not, with the words of a proof that failed first."""
    failure: Exception | None = None
    for proof in handed.named(PROOF) or [PROOF]:
        try:
            document = handed.document(proof)
            if name in document:
                return document[name]
        except (NotMeasuredError, *GARBLED) as error:
            failure = failure or error
    raise failure or NotMeasuredError("no proof of this run reads it")


PROVED = (
    ("alerts.rules_fired_on_purpose_ratio", "ratio"),
    ("alerts.delivery_max_s", "s"),
    ("alert.test_fired_ratio", "ratio"),
    ("fabric_manager.instances", "count"),
    ("fabric_manager.takeover_s", "s"),
    ("fabric_manager.switches_unmanaged", "count"),
    ("fabric_manager.strangers", "count"),
    ("fabric_manager.routes_changed", "count"),
    ("partition.deviations", "count"),
    ("nic.firmware_versions", "count"),
    ("nic.option_deviations", "count"),
    ("nic.pcie_acs_enabled", "count"),
    ("rdma.stack_version_matches", "bool"),
    ("rdma.rail_devices", "count"),
    ("rdma.device_name_deviations", "count"),
    ("rdma.port_deviations", "count"),
    ("telemetry.port_coverage", "ratio"),
    ("telemetry.interval_s", "s"),
    ("provision.unattended_ok_ratio", "ratio"),
    ("provision.minutes", "minute"),
    ("provision.served_ratio", "ratio"),
    ("config.second_run_changes", "count"),
    ("logging.sources_present_ratio", "ratio"),
    ("logging.search_delay_s", "s"),
    ("auth.login_with_replica_down", "bool"),
    ("auth.closed_account_minutes", "minute"),
    ("auth.plain_user_wrong_hosts", "count"),
    ("ssh.password_logins_possible", "count"),
    ("ssh.settings_overridden", "count"),
    ("ssh.root_ways_in_elsewhere", "count"),
    ("ssh.root_as_set", "bool"),
    ("ssh.jobless_users_admitted", "count"),
    ("ssh.job_owners_refused", "count"),
    ("ssh.sessions_outliving_jobs", "count"),
    ("ssh.administrators_refused", "count"),
    ("cuda.sample_failures", "count"),
    ("cudnn.version_match_ratio", "ratio"),
    ("nccl.version_match_ratio", "ratio"),
    ("nccl.single_node_errors", "count"),
    ("container.runtime_present", "bool"),
    ("container.gpus_seen", "count"),
    ("framework.smoke_failures", "count"),
    ("framework.modules_missing", "count"),
    ("framework.step_time_ratio", "ratio"),
    ("scheduler.failover_s", "s"),
    ("scheduler.test_job_failures", "count"),
    ("scheduler.node_job_failures", "count"),
    ("scheduler.others_restarted", "count"),
    ("node.check_faults", "count"),
    ("node.services_missing", "count"),
    ("node.software_missing", "count"),
    ("node.log_delay_s", "s"),
    ("home.faults", "count"),
    ("queue.policy_test_failures", "count"),
    ("gres.unallocated_gpus_visible", "count"),
    ("gang.partial_starts", "count"),
    ("preempt.lost_steps", "count"),
    ("submit.ways_failed", "count"),
    ("user.output_in_home", "bool"),
    ("user.container_runs", "bool"),
    ("user.shell_in_job", "bool"),
    ("service.answers_without_login", "count"),
    ("reservation.intruding_jobs", "count"),
    ("accounting.gpu_hours_error", "percent"),
    ("notify.events_missed", "count"),
    ("chain.wrong_order", "count"),
    ("metrics.scrape_gap_s", "s"),
    ("dashboard.panels_without_data", "count"),
    ("alert.rules_untested", "count"),
    ("alert.page_delay_s", "s"),
    ("anomaly.injected_missed", "count"),
    ("instrument.series_missing", "count"),
    ("training.series_missing", "count"),
    ("throughput.error", "percent"),
    ("straggler.injected_missed", "count"),
    ("profile.overhead", "percent"),
    ("checkpoint.series_missing", "count"),
    ("loader.injected_stall_missed", "count"),
    ("experiment.repeated_ok", "bool"),
    ("audit.findings_without_owner", "count"),
    ("audit.affected_share", "percent"),
    ("training.unused_speed_up", "percent"),
    ("ost.slowest_over_median", "ratio"),
    ("filesystem.capacity_pb", "PB"),
    ("filesystem.quota_enforced", "bool"),
    ("filesystem.failover_s", "s"),
    ("filesystem.wrong_files", "count"),
    ("filesystem.unhealed_entries", "count"),
    ("mount.present", "bool"),
    ("cache.hit_read_gb_s", "GB/s"),
    ("backup.restore_digest_match", "bool"),
    ("backup.restored_in_a_day_tb", "TB"),
    ("backup.age_h", "hour"),
    ("storage.series_present_ratio", "ratio"),
    ("ingest.checksum_failures", "count"),
    ("preprocess.sample_errors", "count"),
    ("dataset.restored_digest_match", "bool"),
    ("compression.write_slowdown", "percent"),
    ("scrub.injected_errors_missed", "count"),
    ("training.scaling_efficiency", "ratio"),
    ("training.loss_curve_match", "bool"),
    ("fault.recovered_ratio", "ratio"),
    ("fault.restart_minutes", "minute"),
    ("restart.loss_deviation", "percent"),
    ("restart.minutes", "minute"),
    ("training.mfu", "ratio"),
    ("training.interruptions_over_model", "ratio"),
    ("recovery.time_over_objective", "ratio"),
    ("recovery.data_lost_over_objective", "ratio"),
)
"""Each metric of the proofs with its unit."""

METRICS = tuple(proved(name, unit) for name, unit in PROVED)
