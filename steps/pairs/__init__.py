"""Tests between pairs of servers: in which order they run, which results are slow, and what makes them slow."""
