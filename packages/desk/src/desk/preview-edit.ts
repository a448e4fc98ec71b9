import { type JsonObject, type JsonValue, type Message, requestsFromMessages } from 'holdpoint';
import type { CheckedEdit } from 'holdpoint/deferral';
import { type EditProblem, problemsOfEdit } from '../approvers/validate-edit.ts';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { type Policy, requirementFor } from '../approvers/policy.ts';
import type { Requirement } from '../model/approver-rule.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { ShownEdit } from '../model/vote.ts';
import type { Store } from '../store/store.ts';
import type { RegisteredAgent } from './desk-agent.ts';
import { HistoryWriter } from './history-writer.ts';

/** An edit of a call, as the tool describes it. Nothing of it is stored. */
export interface EditPreview {
  /** The problems of the arguments; empty if they are valid. */
  readonly problems: readonly EditProblem[];
  /** The validated arguments that would execute; as typed, if this process cannot validate them. */
  readonly args: JsonValue;
  /** The preview for them, if the tool has one. */
  readonly preview?: JsonValue | undefined;
  /** The requirement of the policy for the edited call, in addition to those of the hold. */
  readonly requirement?: Requirement | undefined;
  /**
   * The hash of arguments and preview. Pass it to `desk.decide` to confirm that the approver was
   * shown them.
   */
  readonly shown: string;
}

/** An edit with the facts that are stored about it. */
export interface StoredEditPreview extends EditPreview {
  /** The description by the tool; `undefined` if this process does not have the tool. */
  readonly described: ShownEdit | undefined;
}

/** The parts of a desk that describe an edit. */
export interface EditPreviewDeps {
  readonly store: Store;
  readonly agents: Readonly<Record<string, RegisteredAgent>>;
}

/** Describes an edit of a hold: with the tool if this process has it, otherwise with the JSON Schema alone. */
export async function previewEdit(
  context: EditPreviewDeps,
  policy: Policy,
  hold: HoldRow,
  typed: JsonObject,
): Promise<StoredEditPreview> {
  const checked = await checkWithTool(context, hold, typed);
  const described = checked?.ok === true ? shownEdit(checked) : undefined;
  const problems = checked === undefined ? problemsOfEdit(hold, typed) : problemsOf(checked);
  const args = described?.args ?? typed;
  const preview = described?.preview;
  return {
    problems,
    args,
    ...(preview !== undefined && { preview }),
    ...(problems.length === 0 && { requirement: requirementOf(policy, hold, typed, described) }),
    shown: hashOf('holdpoint/edit/1', toJson(args), toJson(preview)),
    described,
  };
}

function shownEdit({ args, preview }: Extract<CheckedEdit, { ok: true }>): ShownEdit {
  return { args: toJson(args), ...(preview !== undefined && { preview: toJson(preview) }) };
}

function problemsOf(checked: CheckedEdit): readonly EditProblem[] {
  if (checked.ok) return [];
  return checked.issues.map(({ path, message }) => ({
    path: (path ?? []).map((key) => `/${pointerPart(String(key))}`).join(''),
    message,
  }));
}

function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function requirementOf(
  policy: Policy,
  hold: HoldRow,
  args: JsonObject,
  shown: ShownEdit | undefined,
): Requirement | undefined {
  const by = { id: '' };
  const proposal = { decision: { kind: 'approve', args }, shown, by, at: 0 } as const;
  return requirementFor(policy, effectiveCallOf({ ...hold, proposal }));
}

/**
 * Validates an edit with the tool of the call, as before its execution. The agent resumes the parked history
 * up to the point at which it needs decisions. It requests no model, and no call
 * executes. Returns `undefined` if this process has no such agent or the call is one of a sub-agent.
 */
async function checkWithTool(
  { store, agents }: EditPreviewDeps,
  hold: HoldRow,
  args: JsonObject,
): Promise<CheckedEdit | undefined> {
  const { tenant, runId, conversationId, agent, requester, key } = hold;
  const inside = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  if (inside === undefined || hold.path.length > 0 || hold.kind !== 'approval') return undefined;
  const rows = await store.read((tx) => tx.messages.from(tenant, conversationId, 0));
  const { loaded } = new HistoryWriter(rows);
  if (!isPending(loaded, key)) return undefined;
  const deps = await inside.deps?.({ tenant, runId, conversationId, agent, requester });
  const steps = inside.agent.iter(undefined, {
    deps,
    messageHistory: loaded,
    conversationId,
    verifyApproval: () => false,
  });
  for await (const step of steps) {
    // Awaited here, because leaving the loop ends the run and its current validation.
    if (step.kind === 'resolve-deferred') return await step.requests.checkEdit(key, args);
    // Every call of the history is deferred, so this step only restores them.
    if (step.kind !== 'call-tools') return undefined;
  }
  return undefined;
}

/** Returns whether the history is parked on the call, and no other call would execute. */
function isPending(messages: readonly Message[], key: string): boolean {
  const requests = requestsFromMessages(messages);
  return requests?.approvals.some(({ toolCallId }) => toolCallId === key) ?? false;
}
