"""Request approvals for function calls at a Holdpoint desk."""

from .client import Claim, Desk, Json, JsonObject, Request
from .errors import (
    CallDenied,
    CallExpired,
    CallFailed,
    CallInDoubt,
    ChangesRequested,
    DeskError,
    DeskUnreachable,
    RequestCancelled,
)
from .execution import execute_request
from .guard import idempotency_key, requires_approval

__all__ = [
    "CallDenied",
    "CallExpired",
    "CallFailed",
    "CallInDoubt",
    "ChangesRequested",
    "Claim",
    "Desk",
    "DeskError",
    "DeskUnreachable",
    "Json",
    "JsonObject",
    "Request",
    "RequestCancelled",
    "execute_request",
    "idempotency_key",
    "requires_approval",
]
