"""What a run says, and how it ended on each host."""
