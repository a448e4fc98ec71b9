"""Resolves a parked run of Pydantic AI at a desk: python3 pydantic_ai.py <run.json> <conversation>.

It runs beside Pydantic AI and does not import it: it reads and writes the JSON of its documents.
"""

import json
import os
import sys
from pathlib import Path

# In your project, install the client instead.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))

# region results
from holdpoint_client import Desk
from holdpoint_client.pydantic_ai import deferred_tool_results

desk = Desk(os.environ["HOLDPOINT_URL"], os.environ["HOLDPOINT_KEY"])


def refund(order: str, euros: float) -> str:
    # The arguments are those that the approvers approved. They may have edited them.
    pay(order, euros)
    return f"paid {euros} euros"


def resolve(run: dict, conversation: str) -> dict:
    """Returns the JSON of `DeferredToolResults` for a parked run."""
    return deferred_tool_results(
        desk, run["requests"], {"refund": refund}, conversation=conversation
    )


# endregion results


def pay(order: str, euros: float) -> None:
    with open(os.environ["JOURNAL"], "a", encoding="utf-8") as journal:
        journal.write(json.dumps({"order": order, "euros": euros}, separators=(",", ":")) + "\n")


run = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
print(json.dumps(resolve(run, conversation=sys.argv[2])))
