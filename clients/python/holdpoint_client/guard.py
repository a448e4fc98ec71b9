"""A guard for functions: an approver decides each call before it executes, at most once."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import threading
from typing import Any, Callable, Optional, TypeVar

from .client import Claim, Desk, Json, JsonObject, Request
from .errors import CallDenied, CallExpired, CallFailed, CallInDoubt, DeskError, RequestCancelled

Result = TypeVar("Result")


def idempotency_key(*parts: Json) -> str:
    """Returns a key for JSON values. Equal values have equal keys, in every process."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def requires_approval(
    desk: Desk,
    *,
    key: Callable[[JsonObject], str],
    tool: Optional[str] = None,
    schema: Optional[JsonObject] = None,
    preview: Optional[Callable[[JsonObject], Json]] = None,
    description: Optional[str] = None,
    context: Optional[Callable[[JsonObject], JsonObject]] = None,
    requester: Optional[Callable[[JsonObject], JsonObject]] = None,
    expires_after: Optional[int] = None,
    lease: int = 60_000,
    timeout: Optional[float] = None,
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Guards a function whose arguments and result are JSON.

    Calling it requests a decision, waits for it, and executes the function with the arguments that the
    approvers approved, which may differ from those of the caller. Called again with the same key, also by
    another process after a crash, it continues where it was: it returns the stored result of a call that
    has executed, and waits for a person if it is unknown whether it has.

    :param key: Returns the idempotency key of a call, from its arguments: the same for each retry of one
        intention, and another for the next one. An order number is good, a random text is not.
    :param tool: The name of the tool at the desk; the name of the function by default.
    :param lease: Milliseconds after which a dead process loses the call. It is extended while the function executes.
    :param timeout: Seconds to wait for a decision; then `TimeoutError`. No limit by default.
    :raises CallDenied, CallExpired, RequestCancelled: The call does not execute.
    :raises CallFailed: The call executed before and failed, or a person recorded that it failed.

    An exception of the function is recorded as its outcome and raised. Raise `CallInDoubt` if it is unknown
    whether the call had an effect.
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        name = tool or function.__name__
        signature = inspect.signature(function)

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Result:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given: JsonObject = dict(bound.arguments)
            request = desk.request(
                name,
                given,
                idempotency_key=key(given),
                schema=schema,
                preview=None if preview is None else preview(given),
                description=description,
                context=None if context is None else context(given),
                requester=None if requester is None else requester(given),
                expires_after=expires_after,
            )
            return _finish(desk, request, function, lease, timeout)

        return guarded

    return decorate


def _finish(
    desk: Desk,
    request: Request,
    function: Callable[..., Result],
    lease: int,
    timeout: Optional[float],
) -> Result:
    while True:
        request = desk.wait_for(request.id, timeout=timeout)
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
            outcome: JsonObject = {"kind": "value", "value": value}
        except CallInDoubt as doubt:
            desk.settle(claim, {"kind": "unknown", "reason": doubt.reason})
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            desk.settle(claim, {"kind": "error", "message": message})
            raise
        desk.settle(claim, outcome)
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
                # The settlement is rejected, which the caller learns.
                if error.code == "request-lost":
                    return
