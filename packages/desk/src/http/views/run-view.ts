import { z } from '@hono/zod-openapi';
import type { JsonValue } from 'holdpoint';
import type { RunProblem, RunRow } from '../../model/run-row.ts';
import { RUN_TRANSITIONS, type RunState } from '../../model/states.ts';
import type { Person } from '../../model/person.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { jsonSchema, timeSchema } from './json-schema.ts';
import { personSchema } from './person-view.ts';

/** A run as lists have it: where it is, and nothing of what was said in it. */
export interface RunSummary {
  readonly id: string;
  readonly agent: string;
  readonly conversationId: string;
  readonly state: RunState;
  readonly requester?: Person | undefined;
  /** How many of its holds nobody has settled. */
  readonly openHolds: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A run, with what came of it. */
export interface RunView extends RunSummary {
  readonly usage?: JsonValue | undefined;
  readonly output?: JsonValue | undefined;
  readonly error?: RunProblem | undefined;
}

/** The states of runs, from the table of states. */
export const runStateSchema: z.ZodType<RunState> = z.enum(
  // The keys of the table are the states.
  Object.keys(RUN_TRANSITIONS) as [RunState, ...RunState[]],
);

const summary = {
  id: z.string(),
  agent: z.string(),
  conversationId: z.string(),
  state: runStateSchema,
  requester: personSchema.optional(),
  openHolds: z.number(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const runSummarySchema: z.ZodType<RunSummary> = z
  .strictObject(summary)
  .openapi('RunSummary');

export const runViewSchema: z.ZodType<RunView> = z
  .strictObject({
    ...summary,
    usage: jsonSchema.optional(),
    output: jsonSchema.optional(),
    error: z.strictObject({ message: z.string(), code: z.string().optional() }).optional(),
  })
  .openapi('Run');

/** A run for a list. */
export function runSummary(run: RunRow): RunSummary {
  const { id, agent, conversationId, state, requester, openHolds, createdAt, updatedAt } = run;
  return { id, agent, conversationId, state, requester, openHolds, createdAt, updatedAt };
}

/** A run with what came of it, without what people are not to see. */
export function runView(run: RunRow, secrets: Secrets): RunView {
  const { usage, output, error } = run;
  return {
    ...runSummary(run),
    usage,
    output: output === undefined ? undefined : secrets.takeOutOf(output),
    error: error && { ...error, message: secrets.takeOutOfText(error.message) },
  };
}
