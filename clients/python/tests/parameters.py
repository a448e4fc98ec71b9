"""Guards functions whose parameters cannot receive their arguments by name: python3 parameters.py."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from holdpoint_client import Desk, requires_approval

desk = Desk(os.environ["HOLDPOINT_URL"], os.environ["HOLDPOINT_KEY"])


def with_options(order, **options):
    raise AssertionError("It must not execute.")


def with_rest(*orders):
    raise AssertionError("It must not execute.")


def by_position(order, /, euros):
    raise AssertionError("It must not execute.")


def error_of(function) -> str:
    try:
        requires_approval(desk, key=lambda call: "parameters")(function)
    except TypeError as error:
        return str(error)
    return "none"


print(json.dumps([error_of(one) for one in (with_options, with_rest, by_position)]))
