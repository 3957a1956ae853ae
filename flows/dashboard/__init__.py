"""Prefect's server, and what its dashboard shows of the ledger."""
