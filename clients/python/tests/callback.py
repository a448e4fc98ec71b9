"""Delegates a claimed call to another program: python3 callback.py <order>, or --hold <hold-id>."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from holdpoint_client import Desk

desk = Desk(os.environ["HOLDPOINT_URL"], os.environ["HOLDPOINT_KEY"])

if sys.argv[1] == "--hold":
    print(json.dumps(desk.hold_callback_url(sys.argv[2], expires_after=60_000)))
    sys.exit()

args = {"order": sys.argv[1], "euros": 20}
# region callback
request = desk.request("refund", args, idempotency_key=args["order"])
desk.wait_for(request.id)
claim = desk.claim(request.id, lease=3_600_000)
url = desk.callback_url(claim)  # for the program that executes the call
# endregion callback
Path(os.environ["ADDRESS"]).write_text(url, encoding="utf-8")
print(json.dumps(desk.wait_for(request.id, until="end").outcome))
