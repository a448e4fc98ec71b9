import * as fc from 'fast-check';
import { present } from '../../../support/present.ts';

/** The properties of a tool. */
export interface ToolPlan {
  /**
   * Calls that need an approval: `odd` for odd values, `raised` if `execute` throws ApprovalRequired,
   * `twice` if it throws it again after the approval. `external` tools are external; `elsewhere` tools
   * throw CallDeferred.
   */
  readonly asks: 'never' | 'always' | 'odd' | 'raised' | 'twice' | 'external' | 'elsewhere';
  readonly once: boolean;
  readonly sequential: boolean;
  readonly onInDoubt: 'ask' | 'retry' | 'fail';
  readonly timeout: number | undefined;
  readonly preview: boolean;
}

/** A call and its behaviour. */
export interface CallPlan {
  /** Index of the tool. */
  readonly tool: number;
  readonly value: number;
  /** `throws` and `hangs` apply to the first `times` executions. */
  readonly does: 'returns' | 'retries' | 'fails' | 'throws' | 'hangs';
  readonly times: number;
  /** Number of gates that the tool passes during its execution. */
  readonly awaits: number;
}

/** Shorter than the lease, longer than a tick. */
const TIMEOUT = 50;

const toolPlan: fc.Arbitrary<ToolPlan> = fc.record({
  asks: fc.constantFrom(
    ...(['always', 'always', 'odd', 'raised', 'twice', 'external', 'elsewhere', 'never'] as const),
  ),
  once: fc.boolean(),
  sequential: fc.boolean(),
  onInDoubt: fc.constantFrom(...(['ask', 'ask', 'ask', 'retry', 'fail'] as const)),
  timeout: fc.constantFrom(undefined, undefined, TIMEOUT),
  preview: fc.boolean(),
});

const callPlan: fc.Arbitrary<CallPlan> = fc.record({
  tool: fc.nat({ max: 3 }),
  value: fc.nat({ max: 9 }),
  does: fc.constantFrom(
    ...(['returns', 'returns', 'returns', 'retries', 'fails', 'throws', 'hangs'] as const),
  ),
  times: fc.constantFrom(1, 1, 2),
  awaits: fc.nat({ max: 2 }),
});

/** Tools, and the calls of the model's first responses. */
export interface Work {
  readonly tools: readonly ToolPlan[];
  readonly batches: readonly (readonly CallPlan[])[];
}

const batch = fc.array(callPlan, { minLength: 1, maxLength: 4 });

/** Any tools and calls. */
export const work: fc.Arbitrary<Work> = fc.record({
  tools: fc.array(toolPlan, { minLength: 1, maxLength: 3 }),
  batches: fc.array(batch, { minLength: 1, maxLength: 2 }),
});

/** Returns the tool of a call, modulo the number of tools. */
export function toolOf({ tools }: Work, call: CallPlan): ToolPlan {
  return present(tools[call.tool % tools.length]);
}
