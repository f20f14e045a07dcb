"""The bench's own parts: what it says of others must be right."""
