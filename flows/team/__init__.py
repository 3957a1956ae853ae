"""Ansible on a team's workers: Prefect's own, each with a sealed bundle of one slice of a run, and no right to the ledger."""
