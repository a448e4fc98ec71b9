"""A guarded function: python3 refund.py <order> <euros>. The test kills it at the point in CRASH."""

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# region guard
from holdpoint_client import CallDenied, ChangesRequested, Desk, requires_approval

desk = Desk(os.environ["HOLDPOINT_URL"], os.environ["HOLDPOINT_KEY"])


# The order identifies the refund, so a retry continues the same request.
@requires_approval(desk, key=lambda call: call["order"], lease=2_000)
def refund(order: str, euros: float) -> dict:
    pay(order, euros)
    return {"paid": euros}


# endregion guard


def pay(order: str, euros: float) -> None:
    with open(os.environ["JOURNAL"], "a", encoding="utf-8") as journal:
        journal.write(json.dumps([order, euros]) + "\n")
    if os.environ.get("CRASH") == "during-call":
        os.kill(os.getpid(), signal.SIGKILL)


# The result is not JSON.
@requires_approval(desk, key=lambda call: call["order"], tool="refund", lease=2_000)
def odd_refund(order: str, euros: float) -> set:
    pay(order, euros)
    return {euros}


execute = odd_refund if os.environ.get("RESULT") == "set" else refund
try:
    print(json.dumps(execute(sys.argv[1], euros=float(sys.argv[2]))))
except CallDenied as denied:
    print(json.dumps({"denied": denied.reason}))
except ChangesRequested as requested:
    print(json.dumps({"changes": requested.message}))
except Exception as error:
    print(json.dumps({"error": type(error).__name__, "code": getattr(error, "code", None)}))
