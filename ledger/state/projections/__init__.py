"""From events to rows, a module for each subject. Deterministic, and without a clock."""
