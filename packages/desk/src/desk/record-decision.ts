import type { JsonObject, JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import { DeskError } from '../errors/desk-error.ts';
import { EditDoesNotFitError } from '../errors/edit-does-not-fit-error.ts';
import { checkOptions, requireText } from '../model/check-keys.ts';
import { type Decision, editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { decideHold, type NewDecision } from '../transitions/decide-hold.ts';
import { notFound } from '../transitions/not-found.ts';
import { recordSecrets } from '../transitions/record-secrets.ts';
import { checkDecision, checkGrantRequest, checkPerson, checkRoles } from './check-decision.ts';
import { checkId } from './check-query.ts';
import type { DeskContext } from './desk-context.ts';
import { reportSettled } from './settled-holds.ts';
import {
  DECIDE_OPTIONS,
  type DecideOptions,
  type HoldWithDecisions,
  requireDigest,
} from './method-options.ts';
import { previewEdit, type StoredEditPreview } from './preview-edit.ts';

/** Validates and records a decision about a hold. */
export async function recordDecision(
  context: DeskContext,
  tenant: string,
  holdId: string,
  decision: Decision,
  options: DecideOptions,
): Promise<HoldRow> {
  checkId('holdId', holdId);
  checkOptions<DecideOptions>('`desk.decide`', options, DECIDE_OPTIONS);
  requireDigest(options.digest);
  const { by, digest, roles, onBehalfOf, grant, shown } = options;
  const given: NewDecision = {
    decision: checkDecision(decision),
    by: checkPerson('the approver `by`', by),
    digest,
    roles: roles === undefined ? undefined : checkRoles(roles),
    onBehalfOf:
      onBehalfOf === undefined
        ? undefined
        : checkPerson('the person on whose behalf you decide', onBehalfOf),
    grant: grant === undefined ? undefined : checkGrantRequest(grant),
  };
  if (shown !== undefined) requireText('`shown`', shown);
  const args = editedArgs(given.decision);
  // A tool may be slow, so it describes the edit before the transaction. The transaction compares the digest.
  const edit = args && (await describedEdit(context, tenant, holdId, args, shown));
  const decided = { ...given, ...edit };
  const hold = await decideHold(context.store, context.policy, tenant, holdId, decided);
  await reportSettled(context, hold);
  return hold;
}

/** Describes an edit with its tool, and throws if it is invalid or if the approver was shown another call. */
async function describedEdit(
  context: DeskContext,
  tenant: string,
  holdId: string,
  args: JsonObject,
  shown: string | undefined,
): Promise<Pick<NewDecision, 'shown' | 'isInformed'>> {
  const hold = await readHold(context, tenant, holdId);
  const edit = await describeEdit(context, hold, args);
  if (edit.problems.length > 0) throw new EditDoesNotFitError(edit.problems);
  if (shown !== undefined && shown !== edit.shown) throw staleEdit(holdId);
  // Before the decision is stored: edited arguments may contain values that people must not see.
  const { conversationId, toolName } = hold;
  const calls = [args, edit.args].map((one) => ({ toolName, args: one }));
  await recordSecrets(context.store, [tenant, conversationId], context.redaction, calls);
  const isAsTyped = edit.preview === undefined && isSameJson(edit.args, args);
  return { shown: edit.described, isInformed: shown !== undefined || isAsTyped };
}

/** Describes an edit of a hold, with the tool if this process has it. */
export function describeEdit(
  context: DeskContext,
  hold: HoldRow,
  args: JsonObject,
): Promise<StoredEditPreview> {
  return previewEdit(context, context.policy, hold, args);
}

/** Returns a hold with its decisions. */
export function readHold(
  { store }: DeskContext,
  tenant: string,
  holdId: string,
): Promise<HoldWithDecisions> {
  return store.read(async (tx) => {
    const hold = await tx.holds.get(tenant, holdId);
    if (hold === undefined) throw notFound('hold', holdId);
    return Object.freeze({ ...hold, decisions: await tx.decisions.ofHold(tenant, holdId) });
  });
}

function staleEdit(holdId: string): DeskError {
  return new DeskError(
    'stale-edit',
    `The edit of hold \`${holdId}\` would execute something else than the approver was shown. Nothing was written. ` +
      'Call `previewEdit` again, and show the approver what it returns.',
  );
}

function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
