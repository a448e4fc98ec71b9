"""Decides the deferred calls of a parked run: python3 deferred.py <fixture of a run> <conversation>."""

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from holdpoint_client import Desk
from holdpoint_client.pydantic_ai import deferred_tool_results


def function_of(tool: str):
    def execute(**args):
        with open(os.environ["JOURNAL"], "a", encoding="utf-8") as journal:
            journal.write(json.dumps([sys.argv[2], tool, args]) + "\n")
        if os.environ.get("CRASH") == "during-call":
            os.kill(os.getpid(), signal.SIGKILL)
        if args.get("path") == "/fails":
            raise OSError("Read-only file system.")
        return {"kind": "tool-denied", "args": args}

    return execute


desk = Desk(os.environ["HOLDPOINT_URL"], os.environ["HOLDPOINT_KEY"])
requests = json.loads(Path(sys.argv[1]).read_text())["requests"]
tools = os.environ.get("TOOLS", "rm,transfer,noargs,appr,pay").split(",")
try:
    results = deferred_tool_results(
        desk,
        requests,
        {tool: function_of(tool) for tool in tools},
        conversation=sys.argv[2],
        lease=2_000,
        timeout=float(os.environ.get("TIMEOUT", "60")),
    )
    print(json.dumps(results))
except Exception as error:
    print(json.dumps({"error": type(error).__name__, "message": str(error)}))
