"""Sheets of surfaces for self-contact: what they share, where they are injective, and which places may meet."""
