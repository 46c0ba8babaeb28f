"""The public questions.

`first_contact`, `self_contact`, `contact_batch`, `check_solid`; `distance` and `clearance_batch` (`clearance_rows`: many rows of two
patches at once); `solve` and `minimize` for any formulas (`formulas`, `alternatives`); `trace` observes any of them. `arguments` checks
what the user gives.
"""
