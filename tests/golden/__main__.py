"""``python -m tests.golden`` prints which answers differ from those kept; with ``--update`` it keeps them as they are now."""

import argparse
import json

from .queries import QUERIES
from .test_answers import KEPT, kept


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="questions to ask (default: all)")
    parser.add_argument("--update", action="store_true", help="keep the answers as they are now")
    options = parser.parse_args()
    before, answers = kept(), {}
    for name in options.names or QUERIES:
        answers[name] = QUERIES[name]()
        known = before.get(name, {})
        for field, value in answers[name].items():
            if known.get(field) != value:
                print(f"{name}: {field} was {known.get(field)}, is {value}", flush=True)
    if options.update:
        table = {name: answers.get(name, before.get(name)) for name in QUERIES}
        KEPT.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
