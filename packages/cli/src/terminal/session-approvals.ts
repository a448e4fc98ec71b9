import { canonicalJson } from 'holdpoint/ledger';
import type { PendingCall } from './pending-call.ts';
import { warningsOf } from './warnings.ts';

/**
 * What somebody has approved for as long as the program runs: a call of the same agent to the same
 * tool, with the same schema, version, arguments and preview.
 */
export class SessionApprovals {
  readonly #keys = new Set<string>();

  add(agent: string | undefined, call: PendingCall): void {
    this.#keys.add(keyOf(agent, call));
  }

  /** Whether a call may run without a question. What there is a warning about is always asked. */
  covers(agent: string | undefined, call: PendingCall): boolean {
    return (
      call.kind === 'approval' &&
      warningsOf(call).length === 0 &&
      this.#keys.has(keyOf(agent, call))
    );
  }
}

function keyOf(agent: string | undefined, { toolName, path, args, details }: PendingCall): string {
  const { schemaHash, version, preview } = details;
  return canonicalJson([
    agent ?? null,
    path,
    toolName,
    args,
    schemaHash ?? null,
    version ?? null,
    preview ?? null,
  ]);
}
