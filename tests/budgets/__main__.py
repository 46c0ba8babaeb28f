"""``python -m tests.budgets``: random questions with random budgets, and those that return latest.

Each is asked in a process of its own, with an empty cache.
"""

import argparse
import random
import time
from collections import defaultdict

from .asked import Late, asked, latest
from .questions import QUESTIONS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.budgets", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND[:SEED]", help=f"kinds, or questions to ask again (kinds: {', '.join(QUESTIONS)})")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None, help="the first seed (default: from the clock)")
    parser.add_argument("--budget", type=float, default=None, help="seconds (default: random ones from 0.05 to 3)")
    parser.add_argument("--interrupt", action="store_true", help="Ctrl-C in the place of a budget")
    parser.add_argument("--again", type=float, default=0.0, help="seconds for the same question again, after that, and in a new process")
    parser.add_argument("--limit", type=float, default=0.5, help="seconds that a question may come late")
    options = parser.parse_args()
    end, seed = time.monotonic() + 60 * options.minutes, int(time.time()) if options.seed is None else options.seed
    named, found = [s.partition(":") for s in options.kinds], list[Late]()
    print(f"first seed {seed}", flush=True)
    while time.monotonic() < end:
        for name, _, number in named or [(kind, "", "") for kind in QUESTIONS]:
            chosen = int(number) if number else seed
            budget = options.budget or 0.05 * 60 ** random.Random(f"budget {name} {chosen}").random()
            found.append(asked(name, chosen, budget, options.interrupt, options.again))
            print(found[-1], flush=True)
            if found[-1].own > options.limit:
                print(found[-1].stack, flush=True)
            if options.again and found[-1].again:
                fresh = asked(name, chosen, options.again, again=options.again).again
                if fresh != found[-1].again and "BUDGET_SPENT" not in fresh + found[-1].again:
                    print(f"  DIFFERENT AGAIN\n    {found[-1].again}\n    {fresh}", flush=True)
            if time.monotonic() >= end:
                break
        if named and all(number for _, _, number in named):
            break
        seed += 1
    report(found, options.limit)
    return any(late.own > options.limit for late in found)


def report(found: list[Late], limit: float) -> None:
    kinds = defaultdict[str, list[float]](list)
    for late in found:
        kinds[late.name].append(late.own)
    print(f"\n{len(found)} questions, {sum(late.own > limit for late in found)} of them late by more than {limit} s")
    for name, seconds in sorted(kinds.items(), key=lambda item: -max(item[1])):
        print(f"  {name}: {len(seconds)}, late by at most {max(seconds):.2f} s, more than {limit} s: {sum(s > limit for s in seconds)}")
    print("\n" + "\n".join(latest(found)), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
