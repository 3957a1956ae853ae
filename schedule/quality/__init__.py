"""How good a schedule is: the DCMA 14-point check, and the practices of GAO's guide that can be read from a network.

It knows nothing of plans, steps or the ledger: a compiled network and its solution go in, with what the caller knows beside
them, and checks come out, each with its offenders. docs/reference/quality.md has every check, its threshold and its source.
"""
