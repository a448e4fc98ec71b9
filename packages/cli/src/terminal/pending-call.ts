import type {
  CallDetails,
  DeferredToolRequests,
  JsonObject,
  JsonValue,
  ToolCallPart,
} from 'holdpoint';
import { hasHidden } from './visible.ts';

/** A tool call without a result, with everything that an approver is shown. */
export interface PendingCall {
  readonly id: string;
  readonly toolName: string;
  /** The name of the tool for people, if the desk returned one. */
  readonly title?: string | undefined;
  readonly kind: 'approval' | 'question' | 'external';
  /** The tools of the sub-agents that led to the call, the outermost first. */
  readonly path: readonly string[];
  /** The arguments that would execute: those of the model, or those of a hook or an earlier edit. */
  readonly args: JsonObject;
  /** The arguments that the model sent, if `args` are others. */
  readonly sent: JsonObject | undefined;
  /** The arguments that the tool receives, validated and with defaults. */
  readonly validatedArgs: JsonValue;
  readonly details: CallDetails;
  /** Data that the tool attached when it deferred. */
  readonly metadata: JsonObject | undefined;
}

/** Returns the pending calls in the order of the prompts: approvals first, then questions and external calls. */
export function pendingCalls(requests: DeferredToolRequests): readonly PendingCall[] {
  return [
    ...requests.approvals.map((call) => pending(requests, call, 'approval')),
    ...requests.questions.map((call) => pending(requests, call, 'question')),
    ...requests.calls.map((call) => pending(requests, call, 'external')),
  ];
}

function pending(
  requests: DeferredToolRequests,
  call: ToolCallPart,
  kind: PendingCall['kind'],
): PendingCall {
  const id = call.toolCallId;
  const { details, path, args } = requests.get(id);
  const sent = parseArgs(call);
  return {
    id,
    kind,
    toolName: call.toolName,
    path: path.map((agent) => agent.toolName),
    args: details.args ?? sent,
    sent: details.args === undefined ? undefined : sent,
    validatedArgs: asJson(args),
    details,
    metadata: requests.metadata[id],
  };
}

/** Parses the arguments of the model, which the gate has already parsed once. */
function parseArgs({ args }: ToolCallPart): JsonObject {
  if (typeof args !== 'string') return args ?? {};
  return args.trim() === '' ? {} : JSON.parse(args);
}

/** Returns the JSON form of a value. A schema can transform arguments into any value. */
function asJson(value: unknown): JsonValue {
  const text = JSON.stringify(value, (_, member) =>
    typeof member === 'bigint' ? String(member) : member,
  );
  return text === undefined ? String(value) : JSON.parse(text);
}

/** A reason to be careful with an approval. */
export interface Warning {
  /** A few words for the list of calls. */
  readonly brief: string;
  readonly text: string;
}

/** Returns the warnings about a call. */
export function warningsOf(call: PendingCall): readonly Warning[] {
  const { details, validatedArgs, toolName, title, path } = call;
  const warnings: Warning[] = [];
  if (details.inDoubt !== undefined) {
    const { reason, since } = details.inDoubt;
    const when = new Date(since).toISOString().replace('T', ' ').slice(0, 19);
    const text = `In doubt: this may already have happened (${when} UTC). ${reason}`;
    warnings.push({ brief: 'in doubt', text });
  }
  if (details.drifted) {
    const text = 'Requested again: an earlier approval does not permit this call as it is now.';
    warnings.push({ brief: 'drifted', text });
  }
  if (details.deniedBefore) {
    const text = 'Denied before: an approver denied the same call in this conversation.';
    warnings.push({ brief: 'denied before', text });
  }
  if (containsHidden([validatedArgs, details.preview, toolName, title, path])) {
    const text = 'Hidden characters: the call contains invisible characters, shown as ⟨…⟩.';
    warnings.push({ brief: 'hidden characters', text });
  }
  return warnings;
}

function containsHidden(value: unknown): boolean {
  if (typeof value === 'string') return hasHidden(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => hasHidden(key) || containsHidden(member));
}
