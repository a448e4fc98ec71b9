import type { JsonValue } from 'holdpoint';
import { editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import { approvedArgs } from '../model/final-decision.ts';

/** The facts about a call that a policy is evaluated on: those of the call that would execute. */
export interface EffectiveCall
  extends Pick<HoldRow, 'kind' | 'toolName' | 'agent' | 'path' | 'metadata' | 'inDoubt'> {
  /** The validated arguments: of the call, or of the edit that would execute in its place. */
  readonly args: JsonValue;
  /** The arguments as the model sent them, or as the author of the edit typed them. */
  readonly sentArgs: JsonValue;
  /** The preview for these arguments. */
  readonly preview?: JsonValue | undefined;
  /** The person for whom the run was started; `undefined` if unknown. */
  readonly requester?: Person | undefined;
  /** Everyone who contributed instructions to the conversation; `null` for an unknown requester. */
  readonly requesters: readonly (Person | null)[];
}

/** The members of a hold that make its effective call. */
export type CallFacts = Pick<
  HoldRow,
  | 'kind'
  | 'toolName'
  | 'agent'
  | 'path'
  | 'args'
  | 'validatedArgs'
  | 'metadata'
  | 'preview'
  | 'inDoubt'
  | 'requester'
  | 'otherRequesters'
  | 'proposal'
>;

/** Returns the call that would execute if the hold was approved without an edit. */
export function effectiveCallOf(hold: CallFacts): EffectiveCall {
  const { kind, toolName, agent, path, metadata, inDoubt, requester, proposal } = hold;
  const edit = editedArgs(proposal?.decision);
  return Object.freeze({
    kind,
    toolName,
    agent,
    path,
    metadata,
    inDoubt,
    args: approvedArgs(hold),
    sentArgs: edit ?? hold.args,
    preview: edit === undefined ? hold.preview : proposal?.shown?.preview,
    requester,
    requesters: requestersOf(hold),
  });
}

/** Returns everyone who contributed instructions; `null` for an unknown requester. */
export function requestersOf({
  requester,
  otherRequesters = [],
}: Pick<HoldRow, 'requester' | 'otherRequesters'>): readonly (Person | null)[] {
  return [requester ?? null, ...otherRequesters];
}
