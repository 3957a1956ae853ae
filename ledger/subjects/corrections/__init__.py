"""Entries of any subject that are taken back because they were a mistake."""
