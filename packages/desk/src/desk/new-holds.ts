import type { CallDetails, DeferredToolRequests, JsonValue, ToolCallPart } from 'holdpoint';
import { hashOf } from '../model/hash.ts';
import type { HoldQuestion, HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { RunRow } from '../model/run-row.ts';
import type { NewHold } from '../transitions/park-run.ts';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { type Policy, requirementFor } from '../approvers/policy.ts';
import { labelsOf, schemaOf, toolHashOf } from './tool-of-call.ts';

/** Returns a hold for each pending call of a parked run. */
export function newHolds(run: RunRow, requests: DeferredToolRequests, policy: Policy): NewHold[] {
  return [
    ...requests.approvals.map((call) => newHold(run, requests, call, 'approval', policy)),
    ...requests.questions.map((call) => newHold(run, requests, call, 'question', policy)),
    ...requests.calls.map((call) => newHold(run, requests, call, 'external', policy)),
  ];
}

/** Returns the question of a call, as a hold stores it. */
export function questionOf({ question, earlier }: CallDetails): HoldQuestion | undefined {
  if (question === undefined) return undefined;
  const { message, schema } = question;
  return { message, schema, ...(earlier?.approval && { isAfterApproval: true }) };
}

function newHold(
  run: RunRow,
  requests: DeferredToolRequests,
  call: ToolCallPart,
  kind: HoldRow['kind'],
  policy: Policy,
): NewHold {
  const { toolCallId: key, toolName } = call;
  const { details } = requests.get(key);
  const { preview, digest, inDoubt, drifted, deniedBefore, args: changed, validatedArgs } = details;
  // A grant would also cover these arguments with other inputs.
  const isGrantable = kind === 'approval' && details.earlier === undefined;
  const args = changed ?? sentArgs(call);
  const about = {
    kind,
    toolName,
    args,
    ...(validatedArgs !== undefined && { validatedArgs: validatedArgs }),
    preview,
    inDoubt,
    path: requests.get(call).path,
    metadata: requests.metadata[key],
  };
  const { agent, requester, otherRequesters } = run;
  const effective = effectiveCallOf({ ...about, agent, requester, otherRequesters });
  const definition = requests.get(key).definition;
  return {
    ...about,
    key,
    // External calls have no digest, but every decision must name the digest that the approver was
    // shown.
    digest: digest ?? hashOf('holdpoint/hold/1', run.id, run.parks + 1, key, toolName, args),
    drifted,
    deniedBefore,
    ...labelsOf(definition),
    approvers: requirementFor(policy, effective),
    schema: schemaOf(definition),
    toolHash: isGrantable ? toolHashOf(definition) : undefined,
    ...(kind === 'question' && { question: questionOf(details) }),
    isShadow: policy.isShadow(effective),
    expiresAfter: policy.expiresAfter(effective),
  };
}

/** Returns the parsed arguments that the model sent. Text that is not JSON stays text. */
export function sentArgs({ args }: ToolCallPart): JsonValue {
  if (typeof args !== 'string') return toJson(args ?? {});
  try {
    return toJson(JSON.parse(args === '' ? '{}' : args));
  } catch {
    return args;
  }
}
