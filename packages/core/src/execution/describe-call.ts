import { later, type MaybePromise } from '../context/chain.ts';
import type { CheckedArgs } from '../deferred/requests.ts';
import { UserError } from '../errors/user-error.ts';
import { canonicalJson } from '../ledger/canonical-json.ts';
import { schemaHash } from '../ledger/schema-hash.ts';
import type { CallDetails } from '../messages/call-details.ts';
import { type JsonObject, toFrozenJson } from '../messages/json.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import type { Approval } from './approval.ts';
import { type DeferredOutcome, outcomeOfThrown } from './outcome.ts';
import type { LookedAt } from './verify-args.ts';

/** What is known about a call that somebody has to approve; `undefined` where that is nothing. */
export function describeCall(
  looked: LookedAt,
  checked: CheckedArgs,
): MaybePromise<CallDetails | undefined> {
  const showing = looked.parent.wait(previewOf(looked, checked));
  return showing instanceof Promise
    ? later(showing, detailsWith, looked.tool)
    : detailsWith(showing, looked.tool);
}

function detailsWith(shown: unknown, { definition }: ToolsetTool<never>): CallDetails | undefined {
  const { version, name } = definition;
  if (version === undefined && shown === undefined) return undefined;
  return Object.freeze({
    ...(shown !== undefined && { preview: toFrozenJson(shown, 'preview', name) }),
    ...(version !== undefined && { version }),
  });
}

function previewOf(looked: LookedAt, checked: CheckedArgs): MaybePromise<unknown> {
  const { tool } = looked;
  if (tool.preview === undefined) return undefined;
  try {
    const shown = tool.preview(checked.args, looked.ctx);
    return shown instanceof Promise ? shown.catch((thrown) => failPreview(tool, thrown)) : shown;
  } catch (thrown) {
    return failPreview(tool, thrown);
  }
}

/** A preview says what a call will do. What steers a run has its place elsewhere. */
function failPreview({ definition: { name } }: ToolsetTool<never>, thrown: unknown): never {
  if (outcomeOfThrown(thrown).kind === 'error') throw thrown;
  throw new UserError(
    `The preview of '${name}' threw ${(thrown as Error).name}, which only a tool itself can. Let an argsValidator look ` +
      'at the arguments; the preview is made after it.',
    { cause: thrown },
  );
}

/** Details with what is to run, where that is not what the model sent. */
export function withArgs(
  details: CallDetails | undefined,
  args: JsonObject | undefined,
): CallDetails | undefined {
  return args === undefined ? details : Object.freeze({ ...details, args });
}

/** What is known about a call that somebody has to answer after it has begun. */
export function askedAgain(
  { as }: DeferredOutcome,
  before: CallDetails | undefined,
  args: JsonObject | undefined,
): CallDetails | undefined {
  // Nobody was asked before: it is described when it is known that it waits.
  if (as === 'external' || before === undefined) return withArgs(undefined, args);
  const { preview, version } = before;
  const known = {
    ...(preview !== undefined && { preview }),
    ...(version !== undefined && { version }),
  };
  return withArgs(Object.freeze(known), args);
}

/**
 * What is known now about a call that was approved, if it is not what it was when somebody was asked:
 * the tool has another version or schema, or says that it would do something else.
 *
 * What an edit of the arguments changes in the preview is what whoever edited them wanted.
 */
export function driftOf(
  looked: LookedAt,
  checked: CheckedArgs,
  approval: Approval,
): MaybePromise<CallDetails | undefined> {
  const describing = describeCall(looked, checked);
  return describing instanceof Promise
    ? later(describing, driftFrom, approval, looked.tool)
    : driftFrom(describing, approval, looked.tool);
}

function driftFrom(
  now: CallDetails | undefined,
  { asked, overrideArgs }: Approval,
  { definition }: ToolsetTool<never>,
): MaybePromise<CallDetails | undefined> {
  const isSame =
    now?.version === asked?.version && (overrideArgs !== undefined || samePreview(now, asked));
  if (!isSame) return drifted(now, asked);
  return asked?.schemaHash === undefined ? undefined : driftOfSchema(now, asked, definition);
}

async function driftOfSchema(
  now: CallDetails | undefined,
  asked: CallDetails,
  definition: ToolDefinition,
): Promise<CallDetails | undefined> {
  return (await schemaHash(definition)) === asked.schemaHash ? undefined : drifted(now, asked);
}

/** What nobody knows about stays so. */
function drifted(now: CallDetails | undefined, asked: CallDetails | undefined): CallDetails {
  const inDoubt = asked?.inDoubt && { inDoubt: asked.inDoubt };
  return Object.freeze({ ...now, ...inDoubt, drifted: true });
}

function samePreview(now: CallDetails | undefined, asked: CallDetails | undefined): boolean {
  if (now?.preview === undefined && asked?.preview === undefined) return true;
  return canonicalJson(now?.preview ?? null) === canonicalJson(asked?.preview ?? null);
}
