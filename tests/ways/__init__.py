"""The same question asked in different ways: answers may differ in how much is known, never in what is claimed.

`shapes` and `scenes` draw random bodies and scenes by kind and seed; `ways` asks for their first contact in ways that must agree;
`settings` asks for ranges of parameters and for single values; `agreement` says what contradicts what; `referee` looks for contacts by
dense samples and local solves. A slice of it is a test; ``python -m tests.ways`` (`make fuzz`) goes on with new seeds.
"""
