"""Approvals at a desk for the deferred tool calls of Pydantic AI, through its JSON.

This module does not import Pydantic AI. It reads the JSON of `DeferredToolRequests` and writes the JSON of
`DeferredToolResults`, as Pydantic AI 2.33 does.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Callable, Dict, Mapping, Optional

from .client import Desk, Json, JsonObject, Request
from .errors import CallFailed
from .execution import execute_request
from .guard import idempotency_key

_log = logging.getLogger("holdpoint_client")


def request_approvals(
    desk: Desk,
    requests: JsonObject,
    *,
    conversation: str,
    requester: Optional[JsonObject] = None,
    expires_after: Optional[int] = None,
) -> Dict[str, Request]:
    """Creates a request at the desk for each call that needs an approval, and returns them by tool call id.

    It does not wait. Called again, also by another process, it returns the same requests.

    :param requests: The JSON of `DeferredToolRequests`, parsed. The desk declares its tools, by the same names. The
        metadata of a call is the context of its request.
    :param conversation: The id of the conversation. Together with the tool call id it identifies a call, so no other
        conversation can have it.
    :param requester: The person on whose behalf the calls execute, as `{"id": …}`.
    :param expires_after: Milliseconds in which each call must be decided.
    """
    metadata = requests.get("metadata") or {}
    # All arguments are read first, so that a call that cannot be requested leaves no requests of the others.
    calls = [(call, _args_of(call)) for call in requests.get("approvals") or []]
    return {
        call["tool_call_id"]: desk.request(
            call["tool_name"],
            args,
            idempotency_key=idempotency_key(conversation, call["tool_call_id"]),
            context=metadata.get(call["tool_call_id"]),
            requester=requester,
            expires_after=expires_after,
        )
        for call, args in calls
    }


def deferred_tool_results(
    desk: Desk,
    requests: JsonObject,
    functions: Mapping[str, Callable[..., Json]],
    *,
    conversation: str,
    requester: Optional[JsonObject] = None,
    expires_after: Optional[int] = None,
    lease: int = 60_000,
    timeout: Optional[float] = None,
) -> JsonObject:
    """Requests the approvals, waits for the decisions, executes the approved calls, and returns the results.

    Each call executes at most once, with the arguments that the approvers approved. Called again, also by another
    process after a crash, it returns the same results. They are the JSON of `DeferredToolResults`: a denial for a call
    that was not approved, and a result for a call that has executed. Pydantic AI does not execute it again.

    The results contain no external calls (`requests["calls"]`). Add their results to `["calls"]`.

    :param functions: The functions to execute, by the names of their tools. Their results are JSON. An exception is
        recorded at the desk, and becomes a failed call for the model.
    :param lease: Milliseconds after which a dead process loses a call. It is extended while the function executes.
    :param timeout: Seconds to wait for each decision; then `TimeoutError`. No limit by default.
    :raises CallInDoubt: A function raised it. Called again, this function waits until a person has decided.
    """
    names = {call["tool_name"] for call in requests.get("approvals") or []}
    missing = sorted(names - set(functions))
    if missing:
        raise ValueError(
            f"No function for the tool `{missing[0]}`, so nothing was requested. Pass it in `functions`."
        )
    pending = request_approvals(
        desk,
        requests,
        conversation=conversation,
        requester=requester,
        expires_after=expires_after,
    )
    calls: JsonObject = {}
    approvals: JsonObject = {}
    for tool_call_id, request in pending.items():
        ended = _ended(desk, request, functions[request.tool], lease, timeout)
        outcome = ended.outcome or {}
        if outcome.get("kind") == "value":
            calls[tool_call_id] = _tool_return(outcome["value"])
        elif outcome.get("kind") == "error":
            calls[tool_call_id] = {"kind": "tool-failed", "message": outcome["message"]}
        elif outcome.get("kind") == "retry":
            calls[tool_call_id] = {"kind": "model-retry", "message": outcome["message"]}
        else:
            approvals[tool_call_id] = {"kind": "tool-denied", "message": _reason_of(ended)}
    return {"calls": calls, "approvals": approvals, "metadata": {}}


def _ended(
    desk: Desk,
    request: Request,
    function: Callable[..., Json],
    lease: int,
    timeout: Optional[float],
) -> Request:
    """Returns the request after its end. The desk, not the process that executed the call, knows its outcome."""
    try:
        execute_request(desk, request.id, function, lease=lease, timeout=timeout)
    except Exception as error:
        ended = desk.get(request.id)
        if ended.state not in ("settled", "denied", "changes-requested", "expired", "cancelled"):
            raise
        # The function raised it. A `CallFailed` is the failure of an earlier execution.
        if ended.state == "settled" and not isinstance(error, CallFailed):
            _log.warning("The call of `%s` failed.", request.tool, exc_info=True)
        return ended
    return desk.get(request.id)


def _args_of(call: Mapping[str, Any]) -> JsonObject:
    """Returns the arguments of a call. Pydantic AI stores them as the model sent them."""
    args = call.get("args")
    if isinstance(args, str) and args != "":
        try:
            args = json.loads(args)
        except ValueError:
            pass
    if args is None or args == "":
        return {}
    if not isinstance(args, dict):
        raise ValueError(
            f"The arguments of the call `{call['tool_call_id']}` are no JSON object, so nothing was requested. "
            "Deny the call in the results."
        )
    return args


def _tool_return(value: Json) -> JsonObject:
    # Without the wrapper, a value with a member `kind` could be mistaken for another result.
    return {
        "kind": "tool-return",
        "return_value": value,
        "content": None,
        "metadata": None,
        "tools": None,
    }


def _reason_of(request: Request) -> str:
    if request.state == "denied":
        return (request.outcome or {}).get("reason") or "An approver denied the call."
    if request.state == "expired":
        return "No approver decided the call in time."
    return "The request was cancelled."
