"""What is uncertain about a plan, and how sure its milestones are."""
