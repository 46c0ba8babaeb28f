"""Answers that were printed once and must stay, bit for bit: a change of structure that alters one of them is noticed."""
