"""What is doubtful about a plan: sign-offs that nobody can make, and what the quality checks know of it."""
