"""Flat bodies in contact: regions, samples and intervals of contact."""
