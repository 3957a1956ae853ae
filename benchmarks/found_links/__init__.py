"""Found against drawn: the same halls and faults judged by us, by turnup-check, and on a fabric of ibsim."""
