"""A forecast from what has happened: what is done is fixed, rates are learned, and what moved has a cause."""
