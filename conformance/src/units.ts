import { conversationIdFor } from '../../packages/core/src/agent/run-ids.ts';
import { cleanHistory } from '../../packages/core/src/messages/history.ts';
import { cleanerOf } from '../../packages/core/src/messages/open-history.ts';
import {
  DeferredToolRequests,
  type JsonObject,
  type RunContext,
  type ToolCallPart,
} from 'holdpoint';
import { keywordsSearch } from 'holdpoint/capabilities';
import { matchesToolSelector, type ToolSelector } from 'holdpoint/tools';
import { buildResults, toResults } from './deferred-results.ts';
import { Comparison, type Difference } from './compare.ts';
import { describeEach, describeRequests, describeResults } from './describe-deferred.ts';
import { describeMessage } from './describe-message.ts';
import { className } from './describe.ts';
import { newTool } from './edit-tools.ts';
import { dropAbsent, toMessage } from './from-spec.ts';
import type { MessageSpec, ResultsSpec } from './scenario.ts';

/** The cases of `units.json`, by the function under test. */
export type UnitCases = Readonly<Record<string, readonly UnitCase[]>>;

type UnitCase = Readonly<Record<string, unknown>>;

/** The check of the cases of one function. */
interface UnitKind {
  /** The fields that the check compares. Others are reported as not compared. */
  readonly fields: readonly string[];
  /** Checks one case. Returns `undefined` if it passes. */
  readonly check: (unit: never, comparison: Comparison) => Difference | undefined;
}

/** Functions under test. A function that is missing here is unsupported. */
const KINDS: Readonly<Record<string, UnitKind>> = {
  clean_message_history: {
    fields: ['case', 'repair_last_response', 'input', 'output'],
    check: checkCleanHistory,
  },
  build_results: {
    fields: ['requests', 'input', 'ok', 'error'],
    check: checkBuildResults,
  },
  remaining: {
    fields: ['requests', 'results', 'remaining'],
    check: checkRemaining,
  },
  results_update: {
    fields: ['a', 'b', 'result'],
    check: checkResultsUpdate,
  },
  to_tool_call_results: {
    fields: ['results', 'tool_call_results'],
    check: checkToolCallResults,
  },
  matches_tool_selector: {
    fields: ['selector', 'tool', 'matches'],
    check: checkToolSelector,
  },
  keywords_search: {
    fields: ['queries', 'tools', 'names'],
    check: checkKeywordsSearch,
  },
  resolve_conversation_id: {
    fields: ['explicit', 'history_ids', 'result'],
    check: checkConversationId,
  },
};

/** One case with its name, such as `units/clean_message_history#3`. */
export interface NamedUnit {
  readonly name: string;
  /** Checks the case. Missing if the function is not supported. */
  readonly check?: (comparison: Comparison) => Difference | undefined;
}

/** Returns all cases of a suite. */
export function namedUnits(cases: UnitCases): NamedUnit[] {
  return Object.entries(cases).flatMap(([name, units]) =>
    units.map((unit, index) => nameUnit(`units/${name}`, index, unit)),
  );
}

function nameUnit(path: string, index: number, unit: UnitCase): NamedUnit {
  const name = `${path}#${index}`;
  const kind = KINDS[path.slice('units/'.length)];
  if (kind === undefined) return { name };
  return {
    name,
    check(comparison) {
      for (const field of Object.keys(unit)) {
        if (!kind.fields.includes(field)) comparison.recordNotCompared(`${path}[].${field}`);
      }
      // Each check is written for the cases of its kind.
      return kind.check(unit as never, comparison);
    },
  };
}

function checkCleanHistory(
  unit: {
    readonly repair_last_response: boolean;
    readonly input: readonly MessageSpec[];
    readonly output: readonly unknown[];
  },
  comparison: Comparison,
): Difference | undefined {
  const cleaned = cleanHistory(unit.input.map(toMessage), {
    repairLast: unit.repair_last_response,
  });
  return comparison.firstDifference(unit.output, cleaned.map(describeMessage), 'output');
}

function checkConversationId(unit: {
  readonly explicit: string | null;
  readonly history_ids: readonly (string | null)[];
  readonly result: string;
}): Difference | undefined {
  const history = unit.history_ids.map((id) =>
    toMessage({ kind: 'request', parts: [], conversation_id: id }),
  );
  // In Holdpoint, the run generates the id.
  const conversationId = unit.explicit ?? undefined;
  const got = conversationIdFor({ conversationId }, cleanerOf(history)) ?? '<fresh>';
  return new Comparison().firstDifference(unit.result, got, 'result');
}

/** Requests in a unit case: their ids and metadata. */
interface RequestsSpec {
  readonly calls: readonly string[];
  readonly approvals: readonly string[];
  readonly metadata: Readonly<Record<string, JsonObject>>;
}

function toRequests(spec: RequestsSpec): DeferredToolRequests {
  return new DeferredToolRequests({
    calls: spec.calls.map(toCall),
    approvals: spec.approvals.map(toCall),
    metadata: spec.metadata,
  });
}

function toCall(toolCallId: string): ToolCallPart {
  return { kind: 'tool-call', toolName: 't', toolCallId, args: { x: 1 } };
}

function checkBuildResults(
  unit: {
    readonly requests: RequestsSpec;
    readonly input: ResultsSpec & { readonly approve_all?: boolean | null };
    readonly ok?: unknown;
    readonly error?: unknown;
  },
  comparison: Comparison,
): Difference | undefined {
  const expected = { ok: unit.ok, error: unit.error };
  return comparison.firstDifference(
    expected,
    buildResultsOrError(toRequests(unit.requests), unit.input),
    '',
  );
}

function buildResultsOrError(requests: DeferredToolRequests, input: ResultsSpec): object {
  try {
    return { ok: describeResults(buildResults(requests, input)) };
  } catch (error) {
    return { error: { type: className(error) } };
  }
}

function checkRemaining(
  unit: {
    readonly requests: RequestsSpec;
    readonly results: ResultsSpec;
    readonly remaining: unknown;
  },
  comparison: Comparison,
): Difference | undefined {
  const remaining = toRequests(unit.requests).remaining(toResults(unit.results));
  const got = remaining ? describeRequests(remaining) : null;
  return comparison.firstDifference(unit.remaining, got, 'remaining');
}

function checkResultsUpdate(
  unit: { readonly a: ResultsSpec; readonly b: ResultsSpec; readonly result: unknown },
  comparison: Comparison,
): Difference | undefined {
  const results = toResults(unit.a);
  results.update(toResults(unit.b));
  return comparison.firstDifference(unit.result, describeResults(results), 'result');
}

function checkToolCallResults(
  unit: { readonly results: ResultsSpec; readonly tool_call_results: unknown },
  comparison: Comparison,
): Difference | undefined {
  const values = toResults(unit.results).toToolCallResults();
  return comparison.firstDifference(
    unit.tool_call_results,
    describeEach(values),
    'tool_call_results',
  );
}

function checkToolSelector(
  unit: {
    readonly selector: ToolSelector;
    readonly tool: { readonly name: string; readonly metadata: JsonObject | null };
    readonly matches: boolean;
  },
  comparison: Comparison,
): Difference | undefined {
  const definition = { ...newTool(unit.tool.name), ...dropAbsent(unit.tool) };
  // A selector that is data depends only on the tool.
  const matches = matchesToolSelector(unit.selector, {} as RunContext, definition);
  return comparison.firstDifference(unit.matches, matches, 'matches');
}

/** The default number of tools that a search returns. */
const SEARCH_LIMIT = 10;

function checkKeywordsSearch(
  unit: {
    readonly queries: readonly string[];
    readonly tools: readonly (readonly [name: string, description: string | null])[];
    readonly names: readonly string[];
  },
  comparison: Comparison,
): Difference | undefined {
  const tools = unit.tools.map(([name, description]) => ({ name, ...dropAbsent({ description }) }));
  const found = keywordsSearch(unit.queries, tools, { limit: SEARCH_LIMIT });
  return comparison.firstDifference(
    unit.names,
    found.map(({ name }) => name),
    'names',
  );
}
