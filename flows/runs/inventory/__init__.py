"""Which hosts there are, and what is known of them."""
