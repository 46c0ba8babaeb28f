"""Enclosures of many digits: numbers, jets, roots, systems."""
