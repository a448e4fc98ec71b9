import { chain, type MaybePromise } from '../context/chain.ts';
import type { RunContext } from '../context/run-context.ts';
import { canonicalJson } from '../ledger/canonical-json.ts';
import { schemaHash } from '../ledger/schema-hash.ts';
import type { CallDetails } from '../messages/call-details.ts';
import { type JsonObject, toFrozenJson } from '../messages/json.ts';
import type { ToolsetTool } from '../toolsets/toolset.ts';
import type { Approval } from './approval.ts';
import type { DeferredOutcome } from './outcome.ts';

/** What is known about a call that somebody has to approve; `undefined` where that is nothing. */
export function describeCall(
  tool: ToolsetTool<never>,
  args: unknown,
  ctx: RunContext<never>,
): MaybePromise<CallDetails | undefined> {
  const { version, name } = tool.definition;
  return chain(tool.preview?.(args, ctx), (shown) => {
    if (version === undefined && shown === undefined) return undefined;
    return Object.freeze({
      ...(shown !== undefined && { preview: toFrozenJson(shown, `preview of '${name}'`) }),
      ...(version !== undefined && { version }),
    });
  });
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
  if (as === 'external') return undefined;
  const { preview, version } = before ?? {};
  const known =
    preview === undefined && version === undefined
      ? undefined
      : { ...(preview !== undefined && { preview }), ...(version !== undefined && { version }) };
  return withArgs(known && Object.freeze(known), args);
}

/**
 * What is known now about a call that was approved, if it is not what it was when somebody was asked:
 * the tool has another version or schema, or says that it would do something else.
 *
 * What an edit of the arguments changes in the preview is what whoever edited them wanted.
 */
export function driftOf(
  tool: ToolsetTool<never>,
  args: unknown,
  ctx: RunContext<never>,
  { asked, overrideArgs }: Approval,
): MaybePromise<CallDetails | undefined> {
  return chain(describeCall(tool, args, ctx), (now) => {
    const isSame =
      now?.version === asked?.version && (overrideArgs !== undefined || samePreview(now, asked));
    const drifted = () => Object.freeze({ ...now, drifted: true });
    if (!isSame) return drifted();
    if (asked?.schemaHash === undefined) return undefined;
    return schemaHash(tool.definition).then((hash) =>
      hash === asked.schemaHash ? undefined : drifted(),
    );
  });
}

function samePreview(now: CallDetails | undefined, asked: CallDetails | undefined): boolean {
  if (now?.preview === undefined && asked?.preview === undefined) return true;
  return canonicalJson(now?.preview ?? null) === canonicalJson(asked?.preview ?? null);
}
