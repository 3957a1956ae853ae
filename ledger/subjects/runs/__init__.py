"""Runs of software: released, requested, claimed, settled, previewed; and who comes first."""
