import type { JsonValue } from 'holdpoint';
import { toJson } from '../../model/json.ts';
import { type Redact, REDACTED, type RedactRule } from './redact.ts';
import { Secrets } from './secrets.ts';

/** Arguments of a call to a tool. */
export interface CallArgs {
  readonly toolName: string;
  readonly args: JsonValue;
}

/**
 * Takes out of what people are shown what they are not to see. What is stored and what runs stays whole.
 *
 * Values that were taken out of arguments are taken out of everything else as well: previews, results,
 * texts of the model, errors.
 */
export class Redaction {
  readonly #rules: ReadonlyMap<string, RedactRule>;

  constructor(rules: Redact = {}) {
    this.#rules = new Map(Object.entries(rules));
  }

  /** Whether nothing is ever taken out. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** Whether something may be taken out of the calls of a tool. */
  isAbout(toolName: string): boolean {
    return this.#rules.has(toolName);
  }

  /** The arguments as people see them. */
  argsOf({ toolName, args }: CallArgs): JsonValue {
    const rule = this.#rules.get(toolName);
    if (rule === undefined) return args;
    // Text that is no JSON has no members: nobody knows what is where.
    if (typeof args !== 'object' || args === null) return REDACTED;
    if (typeof rule !== 'function') return withoutMembers(args, new Set(rule));
    try {
      return toJson(rule(args));
    } catch {
      return REDACTED;
    }
  }

  /** What else a tool shows, such as a preview: members with the names of a rule are taken out. */
  shownBy(toolName: string, value: JsonValue): JsonValue {
    const rule = this.#rules.get(toolName);
    return rule === undefined || typeof rule === 'function'
      ? value
      : withoutMembers(value, new Set(rule));
  }

  /** The values that were taken out of these arguments. */
  secretsOf(calls: readonly CallArgs[]): Secrets {
    const values = new Set<string>();
    for (const call of calls) {
      if (!this.isAbout(call.toolName)) continue;
      const shown = new Set(leavesOf(this.argsOf(call)));
      for (const leaf of leavesOf(call.args)) if (!shown.has(leaf)) values.add(leaf);
    }
    return new Secrets(values);
  }

  /** Where these arguments have something that was only put in the place of what was taken out. */
  placeholderIn(call: CallArgs, given: JsonValue): string | undefined {
    if (!this.isAbout(call.toolName)) return undefined;
    return placeholderIn(given, this.argsOf(call), call.args, []);
  }
}

function withoutMembers(value: JsonValue, names: ReadonlySet<string>): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withoutMembers(one, names));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      names.has(name) ? REDACTED : withoutMembers(one, names),
    ]),
  );
}

/** The texts and numbers in a value, as texts. */
function leavesOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((one) => leavesOf(one));
}

function placeholderIn(
  given: JsonValue | undefined,
  shown: JsonValue | undefined,
  original: JsonValue | undefined,
  path: readonly string[],
): string | undefined {
  if (given === REDACTED) return path.join('.');
  if (typeof given !== 'object' || given === null) {
    const isAsShown = given !== undefined && given === shown && original !== undefined;
    return isAsShown && shown !== original ? path.join('.') : undefined;
  }
  for (const [name, one] of Object.entries(given)) {
    const found = placeholderIn(one, member(shown, name), member(original, name), [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // Members of JSON are JSON.
  return (value as Record<string, JsonValue>)[name];
}
