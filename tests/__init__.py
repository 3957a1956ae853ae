"""Tests; folders mirror the rooms."""
