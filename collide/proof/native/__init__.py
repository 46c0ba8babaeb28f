"""The prover's native loop: formulas in balls on a tape, and the search for steps that exclude boxes."""
