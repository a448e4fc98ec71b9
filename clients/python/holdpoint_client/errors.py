"""Errors of the client. All of them are subclasses of `DeskError`."""

from __future__ import annotations

from typing import Any, Optional


class DeskError(Exception):
    """A request that the desk rejected. `code` is for programs and never changes its meaning."""

    def __init__(
        self,
        message: str,
        code: str = "error",
        status: Optional[int] = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details


class DeskUnreachable(DeskError):
    """The desk did not respond. The operation may have been applied."""


class CallDenied(DeskError):
    """An approver denied the call. `reason` is their text."""

    def __init__(self, reason: Optional[str]) -> None:
        super().__init__(reason or "An approver denied the call.", "denied")
        self.reason = reason


class ChangesRequested(DeskError):
    """An approver requested changes. The call does not execute. `message` is their text, for the model.

    A changed call is a new call, so it needs another idempotency key.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, "changes-requested")
        self.message = message


class CallExpired(DeskError):
    """No approver decided the call in time."""

    def __init__(self) -> None:
        super().__init__("No approver decided the call in time.", "expired")


class RequestCancelled(DeskError):
    """The request was cancelled."""

    def __init__(self) -> None:
        super().__init__("The request was cancelled.", "cancelled")


class CallFailed(DeskError):
    """The call was executed before and failed, or a person recorded that it failed."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "failed")


class CallInDoubt(DeskError):
    """Raise it in a guarded function if it is unknown whether the call had an effect. A person decides."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, "in-doubt")
        self.reason = reason
