import { readdirSync, readFileSync } from 'node:fs';
import type { AgentSpec } from '../../../../conformance/src/scenario.ts';

/** JSON that Pydantic AI wrote, not validated. */
export type Json = Record<string, unknown>;

/** One conversation that Pydantic AI had; big integers in it are `bigint`s. */
export interface Fixture {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly agent: Omit<AgentSpec, 'model' | 'system_prompt'> & {
    readonly system_prompt?: readonly string[];
    readonly dynamic_system_prompt?: string;
  };
  /** The run that produced the messages; `null` if they were written by hand. */
  readonly run: Run | null;
  readonly messages: readonly Json[];
  /** The messages after Pydantic AI loaded and dumped them, if they differ. */
  readonly loaded_messages?: readonly Json[];
  readonly requests: Json | null;
  readonly results: Json | null;
  readonly loaded_results?: Json;
  readonly resumed_messages: readonly Json[] | null;
  readonly resumed_requests: Json | null;
  readonly resume: Resume | null;
}

/** A run of Pydantic AI. */
export interface Run {
  readonly prompt: string | readonly unknown[] | null;
  readonly history?: readonly Json[] | null;
  readonly model: readonly Json[];
  readonly output: { readonly kind: string; readonly value?: unknown; readonly type?: string };
  readonly options?: { readonly run_id?: string; readonly conversation_id?: string };
}

/** The resume of the conversation with Pydantic AI. */
export interface Resume extends Run {
  readonly new_message_count: number;
  /** The first messages that the model received. */
  readonly model_saw?: readonly Json[] | null;
  readonly tool_invocations: readonly Json[];
}

/** A small document that Pydantic AI takes or does not. */
export interface Probe {
  readonly target: 'messages' | 'requests' | 'results';
  readonly name: string;
  readonly json: unknown;
  readonly accepted: boolean;
  readonly dump?: unknown;
  readonly dump_error?: string;
}

const FOLDER = new URL('../fixtures/interop/', import.meta.url);

export function readFixtures(): readonly Fixture[] {
  const files = readdirSync(new URL('fixtures/', FOLDER)).toSorted();
  return files.map((file) => readExactly(new URL(`fixtures/${file}`, FOLDER)) as Fixture);
}

export function readProbes(): readonly Probe[] {
  return readExactly(new URL('probes.json', FOLDER)) as Probe[];
}

function readExactly(file: URL): unknown {
  return parseExactly(readFileSync(file, 'utf8'));
}

// Parts of the language that the types of TypeScript leave out.
type Revive = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, revive: Revive) => unknown;
// Node has it.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Parses JSON as Python does: integers have all of their digits. */
export function parseExactly(text: string): unknown {
  return parse(text, (_key, value, { source = '' }) =>
    /^-?\d{16,}$/.test(source) && String(value) !== source ? BigInt(source) : value,
  );
}

/** The text of what {@link parseExactly} read. */
export function writeExactly(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? rawJSON(String(each)) : each,
  );
}
