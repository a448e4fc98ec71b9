"""A guard for functions: an approver decides each call before it executes, at most once."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from typing import Any, Callable, Optional, TypeVar

from .client import Desk, Json, JsonObject
from .execution import execute_request

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

    :param key: Returns the idempotency key of a call, from its arguments. It must be the same for each retry of a
        call, and different for the next call. Use an order number, for example, not a random text.
    :param tool: The name of the tool at the desk; the name of the function by default.
    :param lease: Milliseconds after which a dead process loses the call. It is extended while the function executes.
    :param timeout: Seconds to wait for a decision; then `TimeoutError`. No limit by default.
    :raises CallDenied, ChangesRequested, CallExpired, RequestCancelled: The call does not execute.
    :raises CallFailed: The call executed before and failed, or a person recorded that it failed.

    The function receives its arguments by name. `TypeError` rejects a function with positional-only or variadic
    parameters, such as `**options`, before any call.

    An exception of the function is recorded as its outcome and raised. Raise `CallInDoubt` if it is unknown
    whether the call had an effect. A result that is not JSON puts the call in doubt, and raises the error of `json`.
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        name = tool or function.__name__
        signature = inspect.signature(function)
        _require_named_parameters(name, signature)

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
            return execute_request(desk, request.id, function, lease=lease, timeout=timeout)

        return guarded

    return decorate


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _require_named_parameters(name: str, signature: inspect.Signature) -> None:
    """Raises `TypeError` for a parameter that cannot receive the approved argument by its name."""
    for parameter in signature.parameters.values():
        if parameter.kind not in _NAMED:
            raise TypeError(
                f"Parameter `{parameter}` of `{name}` does not take one argument by name, so the function could not "
                "execute the call that was approved. Use a named parameter, such as a list or a dictionary."
            )
