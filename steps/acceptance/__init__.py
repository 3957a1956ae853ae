"""Reads the outputs of tools into metrics with units."""
