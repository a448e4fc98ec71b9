import type {
  CallDetails,
  DeferredToolRequests,
  JsonObject,
  JsonValue,
  ToolCallPart,
} from 'holdpoint';

/** A call that waits for an answer, with everything that there is to know about it. */
export interface PendingCall {
  readonly id: string;
  readonly toolName: string;
  readonly kind: 'approval' | 'external';
  /** The tools that handed work to the agents which led to the call, from the outermost down. */
  readonly path: readonly string[];
  /** What would run, as JSON: what the model sent, or what a hook or somebody else made of it. */
  readonly args: JsonObject;
  /** What the model sent, where that is something else. */
  readonly sent: JsonObject | undefined;
  /** What the tool will get: checked, and with defaults. */
  readonly checked: JsonValue;
  readonly details: CallDetails;
  /** What the tool attached when it deferred. */
  readonly metadata: JsonObject | undefined;
}

/** The calls of a batch in the order in which they are asked: approvals, then results from elsewhere. */
export function pendingCalls(requests: DeferredToolRequests): readonly PendingCall[] {
  return [
    ...requests.approvals.map((call) => pending(requests, call, 'approval')),
    ...requests.calls.map((call) => pending(requests, call, 'external')),
  ];
}

function pending(
  requests: DeferredToolRequests,
  call: ToolCallPart,
  kind: PendingCall['kind'],
): PendingCall {
  const id = call.toolCallId;
  const details = requests.get(id).details;
  const sent = argsSent(call);
  return {
    id,
    kind,
    toolName: call.toolName,
    path: requests.get(id).path.map((agent) => agent.toolName),
    args: details.args ?? sent,
    sent: details.args === undefined ? undefined : sent,
    checked: asJson(requests.get(id).args),
    details,
    metadata: requests.metadata[id],
  };
}

/** The arguments as the model sent them, parsed. Whoever asks has seen that they can be. */
function argsSent({ args }: ToolCallPart): JsonObject {
  if (typeof args !== 'string') return args ?? {};
  return args.trim() === '' ? {} : JSON.parse(args);
}

/** What JSON keeps of a value; a schema can make anything of what was sent. */
function asJson(value: unknown): JsonValue {
  const text = JSON.stringify(value, (_, member) =>
    typeof member === 'bigint' ? String(member) : member,
  );
  return text === undefined ? String(value) : JSON.parse(text);
}
