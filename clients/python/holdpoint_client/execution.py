"""Executes the call of a request after its approval, at most once."""

from __future__ import annotations

import json
import threading
from typing import Any, Callable, Optional, TypeVar

from .client import Claim, Desk, Request
from .errors import (
    CallDenied,
    CallExpired,
    CallFailed,
    CallInDoubt,
    ChangesRequested,
    DeskError,
    RequestCancelled,
)

Result = TypeVar("Result")


def execute_request(
    desk: Desk,
    request_id: str,
    function: Callable[..., Result],
    *,
    lease: int = 60_000,
    timeout: Optional[float] = None,
) -> Result:
    """Waits for the decision about a request, calls `function` with the approved arguments, and settles the call.

    Any process of the owner can call it any number of times, also after a crash: the call executes once. Returns
    the stored result of a call that has executed. `requires_approval` documents the parameters and exceptions.
    """
    while True:
        request = desk.wait_for(request_id, timeout=timeout)
        if request.state == "approved":
            try:
                claim = desk.claim(request.id, lease=lease)
            except DeskError as error:
                # Another process claimed it, or the policy demands another decision.
                if error.code in ("request-claimed", "request-not-approved"):
                    continue
                raise
            return _execute(desk, claim, function, lease)
        if request.state == "claimed":
            # Another process, or this one before a crash. After the lease a person decides.
            request = desk.get(request.id, wait=5.0, until="end")
            continue
        return _result_of(request)


def _execute(desk: Desk, claim: Claim, function: Callable[..., Result], lease: int) -> Result:
    with _Heartbeats(desk, claim, lease):
        try:
            value = function(**claim.args)
        except CallInDoubt as doubt:
            desk.settle(claim, {"kind": "unknown", "reason": doubt.reason})
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            desk.settle(claim, {"kind": "error", "message": message})
            raise
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            # The call has executed. Without its result, a person decides how it ended.
            reason = f"The function returned a result that is not JSON: {error}"
            desk.settle(claim, {"kind": "unknown", "reason": reason})
            raise
        desk.settle(claim, {"kind": "value", "value": value})
        return value


def _result_of(request: Request) -> Any:
    outcome = request.outcome or {}
    kind = outcome.get("kind")
    if kind == "value":
        return outcome["value"]
    if kind == "error":
        raise CallFailed(outcome["message"])
    if kind == "denied":
        raise CallDenied(outcome.get("reason"))
    if kind == "retry":
        raise ChangesRequested(outcome["message"])
    if kind == "expired":
        raise CallExpired()
    raise RequestCancelled()


class _Heartbeats:
    """Extends the lease of a claim until the block ends."""

    def __init__(self, desk: Desk, claim: Claim, lease: int) -> None:
        self._desk = desk
        self._claim = claim
        self._lease = lease
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def _beat(self) -> None:
        while not self._ended.wait(self._lease / 3_000):
            try:
                self._desk.heartbeat(self._claim, lease=self._lease)
            except DeskError as error:
                # The desk will reject the settlement, which raises an error in the caller.
                if error.code == "request-lost":
                    return
