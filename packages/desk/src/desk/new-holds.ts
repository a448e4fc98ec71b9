import type { DeferredToolRequests, JsonValue, ToolCallPart } from 'holdpoint';
import { canonicalJson } from 'holdpoint';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { RunRow } from '../model/run-row.ts';
import type { NewHold } from '../transitions/park-run.ts';
import { checkWhole } from './check-whole.ts';
import type { WaitingCallInfo } from './desk-options.ts';
import type { Expiry, Policies } from './policies.ts';
import { schemaOf, toolHashOf } from './tool-of-call.ts';

/** A hold for each call that a run is parked on. */
export function newHolds(
  run: RunRow,
  requests: DeferredToolRequests,
  policies: Policies,
): NewHold[] {
  return [
    ...requests.approvals.map((call) => newHold(run, requests, call, 'approval', policies)),
    ...requests.calls.map((call) => newHold(run, requests, call, 'external', policies)),
  ];
}

function newHold(
  run: RunRow,
  requests: DeferredToolRequests,
  call: ToolCallPart,
  kind: HoldRow['kind'],
  policies: Policies,
): NewHold {
  const { toolCallId: key, toolName } = call;
  const {
    preview,
    digest,
    inDoubt,
    drifted,
    deniedBefore,
    args: changed,
  } = requests.detailsOf(key);
  const args = changed ?? sentArgs(call);
  const checked = checkedArgs(requests, key);
  const about = { kind, toolName, args, preview, inDoubt, path: requests.pathOf(call) };
  const metadata = requests.metadata[key];
  const info: WaitingCallInfo = { ...about, metadata };
  const definition = requests.definitionOf(key);
  return {
    ...about,
    key,
    ...(checked !== undefined && !isSame(checked, args) && { checkedArgs: checked }),
    metadata,
    // External calls have none of their own; a hold is always answered for what was shown.
    digest: digest ?? hashOf('holdpoint/hold/1', run.id, run.parks + 1, key, toolName, args),
    drifted,
    deniedBefore,
    approvers: policies.approvers(info),
    schema: schemaOf(definition),
    toolHash: kind === 'approval' ? toolHashOf(definition) : undefined,
    isShadow: policies.isShadow(info),
    expiresAfter: expiresAfter(policies.expiry, info),
  };
}

/** The arguments that the model has sent; text that is no JSON stays text. */
function sentArgs({ args }: ToolCallPart): JsonValue {
  if (typeof args !== 'string') return toJson(args ?? {});
  try {
    return toJson(JSON.parse(args === '' ? '{}' : args));
  } catch {
    return args;
  }
}

/** The arguments as the tool will get them, as far as they are JSON. */
function checkedArgs(requests: DeferredToolRequests, key: string): JsonValue | undefined {
  if (!requests.knowsArgs(key)) return undefined;
  try {
    return toJson(requests.argsOf(key));
  } catch {
    return undefined;
  }
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function expiresAfter(expiry: Expiry, call: WaitingCallInfo): number | undefined {
  if (typeof expiry === 'function') return checkedExpiry(expiry(call));
  return call.inDoubt === undefined ? expiry : undefined;
}

function checkedExpiry(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : checkWhole('What expiresAfter gives', ms);
}
