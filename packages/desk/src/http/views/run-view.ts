import { z } from '@hono/zod-openapi';
import type { JsonValue } from 'holdpoint';
import type { Person } from '../../model/person.ts';
import type { RunProblem, RunRow } from '../../model/run-row.ts';
import { RUN_TRANSITIONS, type RunState } from '../../model/states.ts';
import type { Secrets } from '../../redaction/secrets.ts';
import { isoTime, jsonSchema, personSchema, timeSchema } from './schemas.ts';

/** A run in a list. */
export interface RunSummary {
  readonly id: string;
  readonly agent: string;
  readonly conversationId: string;
  readonly state: RunState;
  readonly requester?: Person | undefined;
  /** The first line of the prompt that started the run, without redacted values. */
  readonly prompt?: string | undefined;
  /** The first line of the output or of the error, without redacted values. */
  readonly outcome?: string | undefined;
  /** The number of its holds that are not settled. */
  readonly openHolds: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A run with its output or its error. */
export interface RunView extends RunSummary {
  readonly usage?: JsonValue | undefined;
  readonly output?: JsonValue | undefined;
  readonly error?: RunProblem | undefined;
}

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
  prompt: z
    .string()
    .optional()
    .openapi({ description: 'The first line of the prompt that started the run.' }),
  outcome: z
    .string()
    .optional()
    .openapi({ description: 'The first line of the output or of the error.' }),
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

/** Returns a run for a list, without the values that approvers must not see. */
export function runSummary(run: RunRow, secrets: Secrets): RunSummary {
  const { id, agent, conversationId, state, requester, prompt, openHolds } = run;
  return {
    id,
    agent,
    conversationId,
    state,
    requester,
    prompt: prompt === undefined ? undefined : firstLine(secrets.takeOutOfText(prompt)),
    outcome: outcomeOf(run, secrets),
    openHolds,
    createdAt: isoTime(run.createdAt),
    updatedAt: isoTime(run.updatedAt),
  };
}

/** Returns a run with its output or error, without the values that approvers must not see. */
export function runView(run: RunRow, secrets: Secrets): RunView {
  const { usage, output, error } = run;
  return {
    ...runSummary(run, secrets),
    usage,
    output: output === undefined ? undefined : secrets.takeOutOf(output),
    error: error && { ...error, message: secrets.takeOutOfText(error.message) },
  };
}

function outcomeOf({ output, error }: RunRow, secrets: Secrets): string | undefined {
  if (error !== undefined) return firstLine(secrets.takeOutOfText(error.message));
  if (output === undefined) return undefined;
  const shown = secrets.takeOutOf(output);
  return firstLine(typeof shown === 'string' ? shown : JSON.stringify(shown));
}

const MAX_LINE = 200;

/** Returns the first line with text, cut to the length of a row in a list. */
function firstLine(text: string): string {
  const [line = ''] = text.trim().split(/\r?\n/, 1);
  if (line.length <= MAX_LINE) return line;
  // A cut surrogate pair would not be text.
  return `${line.slice(0, MAX_LINE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
