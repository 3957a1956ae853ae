"""Run what software does."""
