"""Field sheets: what people who are not at the screen fill in, and what comes back from them."""
