import type { JsonValue } from '../internal/json.ts';
import { canonicalJson } from '../internal/canonical-json.ts';
import { sha256 } from '../internal/sha-256.ts';

/** Everything that an approval of a call is about. */
export interface DigestedCall {
  /** The step that the call was parked in. */
  readonly step: string;
  /** The position of the call among the calls of its response. */
  readonly index: number;
  /** The ids of the calls that delegated to the agent of this one, the outermost first; none at the top. */
  readonly path: readonly string[];
  readonly toolName: string;
  /** The arguments as they were sent: parsed and after hooks, before the schema fills in defaults. */
  readonly args: JsonValue;
  /** The validated arguments in their JSON form; absent if the approver was shown the arguments as sent only. */
  readonly validatedArgs?: JsonValue | undefined;
  /** See `schemaHash`. */
  readonly schemaHash?: string | undefined;
  readonly toolVersion?: string | undefined;
  /** What whoever approves was shown; `null` is the same as none. */
  readonly preview?: JsonValue | undefined;
  /** The attempt that is in doubt, where nobody knows whether the call has run. */
  readonly inDoubt?: string | undefined;
}

/**
 * The digest of a call: the same for the same call in every process, and another one as soon as
 * anything differs that an approval is about.
 *
 * It is SHA-256, in hexadecimal digits, over the canonical JSON of a list of all fields.
 */
export async function callDigest(call: DigestedCall): Promise<string> {
  const { step, index, path, toolName, args, validatedArgs } = call;
  const { schemaHash, toolVersion, preview, inDoubt } = call;
  return digestOf('holdpoint/call/2', {
    step,
    index,
    path,
    toolName,
    args,
    validatedArgs: validatedArgs ?? null,
    schemaHash: schemaHash ?? null,
    toolVersion: toolVersion ?? null,
    preview: preview ?? null,
    ...(inDoubt !== undefined && { inDoubt }),
  });
}

/**
 * The SHA-256 over the canonical JSON of `[domain, ...fields]`; only the order of the fields counts.
 *
 * The domain keeps digests of different things apart. The fields are written one by one, so that each
 * may be as deep as JSON may be here, and errors name them.
 */
export function digestOf(
  domain: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<string> {
  let text = `[${canonicalJson(domain)}`;
  for (const name of Object.keys(fields)) text += `,${canonicalJson(fields[name], name)}`;
  return sha256(`${text}]`);
}
