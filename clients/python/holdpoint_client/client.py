"""A typed client of the requests of a desk, over HTTP."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from .errors import DeskError, DeskUnreachable

Json = Union[None, bool, int, float, str, List[Any], Dict[str, Any]]
JsonObject = Dict[str, Any]

_MAX_WAIT_SECONDS = 60.0
_RETRY_SECONDS = 0.5
# A connection that ends within a response is no `OSError`.
_INTERRUPTED = (OSError, ValueError, http.client.IncompleteRead, http.client.BadStatusLine)


@dataclass(frozen=True)
class Request:
    """A request as its owner sees it."""

    id: str
    state: str
    """`pending`, `approved`, `claimed`, `in-doubt`, `settled`, `denied`, `changes-requested`, `expired` or
    `cancelled`."""
    hold_id: str
    tool: str
    args: Optional[JsonObject]
    effective_args: Optional[JsonObject]
    """The arguments to execute, with the edits of approvers. Set once the call was approved."""
    decision: Optional[JsonObject]
    outcome: Optional[JsonObject]
    lease_until: Optional[str]

    @staticmethod
    def of(body: Mapping[str, Any]) -> "Request":
        return Request(
            id=body["id"],
            state=body["state"],
            hold_id=body["holdId"],
            tool=body["toolName"],
            args=body.get("args"),
            effective_args=body.get("effectiveArgs"),
            decision=body.get("decision"),
            outcome=body.get("outcome"),
            lease_until=body.get("leaseUntil"),
        )


@dataclass(frozen=True)
class Claim:
    """The right to execute the call of a request, until its lease ends."""

    request_id: str
    args: JsonObject
    token: str
    """A secret."""
    fence: int
    """A number that increases with each claim."""
    lease_until: str


class Desk:
    """A desk that is served over HTTP.

    :param url: The address of the desk, such as `https://example.com/desk`.
    :param key: The key of a service account with the scope `request`.
    :param timeout: Seconds without a response after which an attempt fails.
    :param retry_for: Seconds for which unreachable desks are tried again. All operations are safe to repeat.
    """

    def __init__(
        self, url: str, key: str, *, timeout: float = 10.0, retry_for: float = 30.0
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"`url` is `{url}`. Pass an address that begins with https://.")
        self._url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._retry_for = retry_for

    def request(
        self,
        tool: str,
        args: JsonObject,
        *,
        idempotency_key: str,
        schema: Optional[JsonObject] = None,
        preview: Json = None,
        description: Optional[str] = None,
        context: Optional[JsonObject] = None,
        requester: Optional[JsonObject] = None,
        expires_after: Optional[int] = None,
    ) -> Request:
        """Requests a decision about a call. The same key and arguments return the same request.

        :param requester: The person on whose behalf the call executes, as `{"id": …}`.
        :param expires_after: Milliseconds in which it must be decided.
        """
        body: JsonObject = {
            "tool": tool,
            "args": args,
            "schema": schema,
            "preview": preview,
            "description": description,
            "context": context,
            "requester": requester,
            "expiresAfter": expires_after,
        }
        given = {name: value for name, value in body.items() if value is not None}
        return Request.of(self._post("requests", given, {"idempotency-key": idempotency_key}))

    def get(
        self, request_id: str, *, wait: float = 0.0, until: str = "decision"
    ) -> Request:
        """Returns a request. Waits up to `wait` seconds for its decision, or with `until="end"` for its end."""
        query = {"wait": f"{min(wait, _MAX_WAIT_SECONDS):g}", "until": until}
        path = f"requests/{_quoted(request_id)}?{urllib.parse.urlencode(query)}"
        return Request.of(self._send("GET", path, None, {}, self._timeout + wait))

    def wait_for(
        self, request_id: str, *, timeout: Optional[float] = None, until: str = "decision"
    ) -> Request:
        """Waits until a request has a decision or has ended. Raises `TimeoutError` after `timeout` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        waited = ("pending", "in-doubt") + (("approved", "claimed") if until == "end" else ())
        while True:
            left = _MAX_WAIT_SECONDS if deadline is None else deadline - time.monotonic()
            request = self.get(request_id, wait=max(0.0, min(left, 25.0)), until=until)
            if request.state not in waited:
                return request
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"Request {request_id} is {request.state} after {timeout} seconds.")

    def claim(self, request_id: str, *, lease: int = 60_000) -> Claim:
        """Claims the call of an approved request, once. `lease` is in milliseconds."""
        # With the same token, a repeated attempt gets the claim of an attempt whose response was lost.
        token = uuid.uuid4().hex
        body = self._post(f"requests/{_quoted(request_id)}/claim", {"lease": lease, "token": token})
        return Claim(
            request_id=body["requestId"],
            args=body["args"],
            token=body["token"],
            fence=body["fence"],
            lease_until=body["leaseUntil"],
        )

    def heartbeat(self, claim: Claim, *, lease: int = 60_000) -> None:
        """Extends the lease of a claim."""
        body = {"token": claim.token, "lease": lease}
        self._post(f"requests/{_quoted(claim.request_id)}/heartbeat", body)

    def release(self, claim: Claim) -> Request:
        """Releases a claim whose call has not started."""
        body = {"token": claim.token}
        return Request.of(self._post(f"requests/{_quoted(claim.request_id)}/release", body))

    def settle(self, claim: Claim, outcome: JsonObject) -> Request:
        """Records how the claimed call ended: `{"kind": "value", "value": …}`, `error` or `unknown`."""
        body = {"token": claim.token, "outcome": outcome}
        return Request.of(self._post(f"requests/{_quoted(claim.request_id)}/settle", body))

    def callback_url(self, claim: Claim, *, expires_after: Optional[int] = None) -> str:
        """Creates a secret address at which another program settles the call, once.

        The program sends `{"value": …}` or `{"error": "…"}` by `POST`. The claim must have its lease then.

        :param expires_after: Milliseconds after which the address expires.
        """
        body: JsonObject = {"token": claim.token}
        if expires_after is not None:
            body["expiresAfter"] = expires_after
        path = f"requests/{_quoted(claim.request_id)}/callback"
        return str(self._post(path, body)["url"])

    def hold_callback_url(self, hold_id: str, *, expires_after: Optional[int] = None) -> str:
        """Creates a secret address at which a program supplies the result of an external call, once.

        The key needs the scopes `decide` and `read`, and the policy must name its account.

        :param expires_after: Milliseconds after which the address expires.
        """
        body = {} if expires_after is None else {"expiresAfter": expires_after}
        return str(self._post(f"holds/{_quoted(hold_id)}/callback", body)["url"])

    def cancel(self, request_id: str) -> Request:
        """Cancels a request whose call was not claimed."""
        return Request.of(self._post(f"requests/{_quoted(request_id)}/cancel", {}))

    def _post(
        self, path: str, body: JsonObject, headers: Optional[Mapping[str, str]] = None
    ) -> JsonObject:
        return self._send("POST", path, body, headers or {}, self._timeout)

    def _send(
        self,
        method: str,
        path: str,
        body: Optional[JsonObject],
        headers: Mapping[str, str],
        timeout: float,
    ) -> JsonObject:
        data = None if body is None else json.dumps(body).encode("utf-8")
        all_headers = {"authorization": f"Bearer {self._key}", **headers}
        if data is not None:
            all_headers["content-type"] = "application/json"
        deadline = time.monotonic() + self._retry_for
        while True:
            request = urllib.request.Request(
                f"{self._url}/v1/{path}", data=data, headers=all_headers, method=method
            )
            try:
                status, result = _received(request, timeout)
                if status < 300:
                    return result
                if status != 503 or time.monotonic() > deadline:
                    raise _problem_of(status, result)
            except _INTERRUPTED as error:
                if time.monotonic() > deadline:
                    raise DeskUnreachable(
                        f"The desk at {self._url} does not respond: {error}", "unreachable"
                    ) from error
            time.sleep(_RETRY_SECONDS)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Handles a redirect as an error. `urllib` would send the key to the other address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


def _received(
    request: urllib.request.Request, timeout: float
) -> Tuple[int, JsonObject]:
    """Sends a request, and returns the status and the body of the whole response."""
    try:
        with _OPENER.open(request, timeout=timeout) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        body = error.read()
        try:
            return error.code, json.loads(body)
        except ValueError:
            # A proxy in front of the desk rejected it.
            return error.code, {}


def _problem_of(status: int, body: JsonObject) -> DeskError:
    message = body.get("detail") or f"The desk responded with status {status}."
    return DeskError(message, body.get("code", "error"), status, body)
