"""Native loops of the narrow phase."""
