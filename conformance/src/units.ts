import { cleanHistory, resolveConversationId } from '../../packages/core/src/messages/history.ts';
import { Comparison, type Difference } from './compare.ts';
import { describeMessage } from './describe-message.ts';
import { toMessage } from './from-spec.ts';
import type { MessageSpec } from './scenario.ts';

/** The cases of `units.json`, by the function they are about. */
export type UnitCases = Readonly<Record<string, readonly UnitCase[]>>;

type UnitCase = Readonly<Record<string, unknown>>;

/** How the cases about one function are tried. */
interface UnitKind {
  /** The fields that a case may have; others are reported as not compared. */
  readonly fields: readonly string[];
  /** Tries one case; `undefined` if all is as expected. */
  readonly check: (unit: never, comparison: Comparison) => Difference | undefined;
}

/** What is tried so far; a function that is not in here is unsupported. */
const KINDS: Readonly<Record<string, UnitKind>> = {
  clean_message_history: {
    fields: ['case', 'repair_last_response', 'input', 'output'],
    check: checkCleanHistory,
  },
  resolve_conversation_id: {
    fields: ['explicit', 'history_ids', 'result'],
    check: checkConversationId,
  },
};

/** One case with its name, such as `units/clean_message_history#3`. */
export interface NamedUnit {
  readonly name: string;
  /** Tries it; absent if the function is not supported yet. */
  readonly check?: (comparison: Comparison) => Difference | undefined;
}

/** The cases of a suite, one by one. */
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
        if (!kind.fields.includes(field)) comparison.leaveOut(`${path}[].${field}`);
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
  return comparison.first(unit.output, cleaned.map(describeMessage), 'output');
}

function checkConversationId(unit: {
  readonly explicit: string | null;
  readonly history_ids: readonly (string | null)[];
  readonly result: string;
}): Difference | undefined {
  const history = unit.history_ids.map((id) =>
    toMessage({ kind: 'request', parts: [], conversation_id: id }),
  );
  // Ours leaves it to the run to make a fresh id.
  const got = resolveConversationId(unit.explicit ?? undefined, history) ?? '<fresh>';
  return new Comparison().first(unit.result, got, 'result');
}
