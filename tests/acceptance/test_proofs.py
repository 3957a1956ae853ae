"""What a proof hands over: taken at its word only where it is of the right sort."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from steps.acceptance.measuring import measure
from tests.acceptance.handing import TODAY, entry, read, value


def proof(metric: str, said: object, note: object = "5 hosts") -> str:
    return json.dumps({metric: {"value": said, "note": note}})


def test_value_and_note_are_taken() -> None:
    found = read("145", "logging.search_delay_s", proof=proof("logging.search_delay_s", 2.246))

    assert found.value == Decimal("2.246")
    assert found.note == "5 hosts"


def test_truth_is_a_truth_value() -> None:
    metric = "auth.login_with_replica_down"

    assert value("146", metric, proof=proof(metric, False)) is False
    assert value("146", metric, proof=proof(metric, 1)) is None


def test_what_could_not_be_tried_is_not_measured_and_says_why() -> None:
    metric = "scheduler.failover_s"
    found = read("156", metric, proof=proof(metric, None, "there is one controller"))

    assert (found.value, found.note) == (None, "not measured: there is one controller")


@pytest.mark.parametrize(
    "said", ["", "{}", "[]", '{"queue.policy_test_failures": 0}', proof("queue.policy_test_failures", "none")]
)
def test_garbled_proof_is_not_measured(said: str) -> None:
    assert value("157", "queue.policy_test_failures", proof=said) is None


@pytest.mark.parametrize("said", [True, -1, "NaN"])
def test_count_is_a_number(said: object) -> None:
    assert value("165", "chain.wrong_order", proof=proof("chain.wrong_order", said)) is None


def test_proof_that_broke_off_is_not_measured() -> None:
    broken = entry("Traceback", rc=1, tool="job_queues")

    found = read("157", "queue.policy_test_failures", proof=broken)

    assert found.value is None
    assert "job_queues ended with exit status 1" in found.note


def test_each_of_several_proofs_has_its_own_metrics() -> None:
    """A second one used to take the place of the first, whose metrics were then not measured."""
    jobs, log_ins = proof("scheduler.node_job_failures", 0, "a job ran"), proof("ssh.job_owners_refused", 1, "refused")
    both = {"proof:node_jobs": entry(jobs, tool="node_jobs"), "proof:job_log_ins": entry(log_ins, tool="job_log_ins")}

    ran, refused = measure(["scheduler.node_job_failures", "ssh.job_owners_refused"], "n", both, {}, today=TODAY)

    assert (ran.value, ran.note, ran.source) == (0, "a job ran", "node_jobs")
    assert (refused.value, refused.note, refused.source) == (1, "refused", "job_log_ins")


def test_of_several_proofs_the_one_that_broke_off_says_why() -> None:
    both = {
        "proof:node_jobs": entry("Traceback", rc=1, tool="node_jobs"),
        "proof:job_log_ins": entry(proof("ssh.job_owners_refused", 0), tool="job_log_ins"),
    }

    ran, refused = measure(["scheduler.node_job_failures", "ssh.job_owners_refused"], "n", both, {}, today=TODAY)

    assert "node_jobs ended with exit status 1" in ran.note
    assert refused.value == 0
