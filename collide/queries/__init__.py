"""The public questions, each in the module of its name.

- *When do bodies meet?* `first_contact` (its search: `contact_search`), `self_contact`, `contacts_during`, `contact_batch` (its rows:
  `contact_rows`), `critical_value`
- *How far apart are they?* `distance`, with `clearance` of moving bodies, and `clearance_batch` (its rows: `clearance_rows`)
- *Where is a point?* `classify`; *does a solid close?* `check_solid`
- *Formulas alone:* `solve`, `minimize`, `maximize`, `pave` (`formulas`, `alternatives`)
- Exact answers before a search: `flat_pairs`, `flat_parting`, `flat_rows`, `round_pairs`, `exact_features`, `exact_sides`

`arguments`, `parameters` and `rows` check what the user gives; `undecided` explains what is left open; `trace` observes any search.
"""
