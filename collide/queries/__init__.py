"""The public questions.

`first_contact`, `self_contact`, `contact_batch`, `check_solid`; `solve` and `minimize` for any formulas (`formulas`, `alternatives`);
`trace` observes any of them. `arguments` checks what the user gives.
"""
