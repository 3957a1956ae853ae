"""Kinds of events about the plan that have a module of their own."""
