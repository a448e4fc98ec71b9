import * as fc from 'fast-check';
import { present } from '../../../support/present.ts';

/** What a tool is like. */
export interface ToolPlan {
  /**
   * When somebody has to answer: `odd` is for odd values, `raised` when the tool is called, `twice`
   * when it is called and once more when it was approved, `elsewhere` if the tool says so itself.
   */
  readonly asks: 'never' | 'always' | 'odd' | 'raised' | 'twice' | 'external' | 'elsewhere';
  readonly once: boolean;
  readonly sequential: boolean;
  readonly onInDoubt: 'ask' | 'retry' | 'fail';
  readonly timeout: number | undefined;
  readonly preview: boolean;
}

/** A call, and what happens when it runs. */
export interface CallPlan {
  /** Which of the tools it is to. */
  readonly tool: number;
  readonly value: number;
  /** What `throws` or `hangs` does so for the first few times. */
  readonly does: 'returns' | 'retries' | 'fails' | 'throws' | 'hangs';
  readonly times: number;
  /** How often the tool waits for something before it is through. */
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

/** Tools, and the calls that the model makes in its first answers. */
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

/** The tool of a call; there may be fewer than the plan of the call thinks. */
export function toolOf({ tools }: Work, call: CallPlan): ToolPlan {
  return present(tools[call.tool % tools.length]);
}
