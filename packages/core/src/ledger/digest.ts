import type { JsonValue } from '../internal/json.ts';
import { canonicalJson } from '../internal/canonical-json.ts';
import { sha256 } from '../internal/sha-256.ts';

/** Everything that an approval of a call covers. */
export interface DigestedCall {
  /** The step that the call was parked in. */
  readonly step: string;
  /** The position of the call among the calls of its response. */
  readonly index: number;
  /** The ids of the calls that lead to the agent of this call, the outermost first; empty outside of sub-agents. */
  readonly path: readonly string[];
  readonly toolName: string;
  /** The arguments as they were sent: parsed and after hooks, before the schema fills in defaults. */
  readonly args: JsonValue;
  /** The validated arguments in their JSON form; absent if the approver was shown the arguments as sent only. */
  readonly validatedArgs?: JsonValue | undefined;
  /** See `schemaHash`. */
  readonly schemaHash?: string | undefined;
  readonly toolVersion?: string | undefined;
  /** The preview that the approver was shown. `null` is the same as none. */
  readonly preview?: JsonValue | undefined;
  /** The attempt in doubt, if the call may already have executed. */
  readonly inDoubt?: string | undefined;
  /** The question and the earlier decisions; absent if the call asks nothing and was not decided before. */
  readonly deferral?: unknown;
}

/**
 * Returns the digest of a call. It is the same in every process, and differs if anything differs that an approval
 * covers.
 *
 * It is the SHA-256, in hexadecimal digits, of the canonical JSON of a list of all fields.
 */
export async function callDigest(call: DigestedCall): Promise<string> {
  const { step, index, path, toolName, args, validatedArgs } = call;
  const { schemaHash, toolVersion, preview, inDoubt, deferral } = call;
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
    // An object, so that it differs from the text of `inDoubt`.
    ...(deferral !== undefined && { deferral }),
  });
}

/**
 * Returns the SHA-256 of the canonical JSON of `[domain, ...values]`. The names of the fields do not count.
 *
 * The domain separates digests of different kinds. Fields are serialised one by one, so that each may have the
 * maximum depth and errors contain its name.
 */
export function digestOf(
  domain: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<string> {
  let text = `[${canonicalJson(domain)}`;
  for (const name of Object.keys(fields)) text += `,${canonicalJson(fields[name], name)}`;
  return sha256(`${text}]`);
}
