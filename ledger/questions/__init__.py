"""What the ledger answers: a module a question, functions over one snapshot. Standard library only, since looking must be quick."""
