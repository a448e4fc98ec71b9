import type { JsonValue } from 'holdpoint';
import { hashOf } from '../model/hash.ts';
import { toJson } from '../model/json.ts';
import { type Redact, type RedactCall, REDACTED } from './redact.ts';

/** Arguments of a call to a tool. */
export interface CallArgs {
  readonly toolName: string;
  readonly args: JsonValue;
}

/**
 * Removes secret values from everything that people see. The stored call and the executed call stay
 * complete.
 *
 * Values that were removed from arguments are removed from everything else as well: previews, results,
 * texts of the model, errors.
 */
export class Redaction {
  /**
   * Identifies the rules. Rows that were written under other rules are processed again before people
   * see them. Empty without rules.
   */
  readonly fingerprint: string;
  readonly #rules: ReadonlyMap<string, RedactCall>;

  constructor(rules: Redact = {}) {
    this.#rules = new Map(Object.entries(rules).map(([name, rule]) => [name, callRule(rule)]));
    this.fingerprint = this.#rules.size === 0 ? '' : fingerprintOf(this.#rules);
  }

  /** True without rules. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** Returns true if a rule exists for the tool. */
  isAbout(toolName: string): boolean {
    return this.#rules.has(toolName);
  }

  /** Returns the arguments as people see them. */
  argsOf({ toolName, args }: CallArgs): JsonValue {
    const rule = this.#rules.get(toolName);
    if (rule === undefined) return args;
    // Text that is not JSON has no members, so no rule can determine which part of it is secret.
    if (typeof args !== 'object' || args === null) return REDACTED;
    const { args: redact } = rule;
    return typeof redact === 'function'
      ? applied(redact, args)
      : withoutMembers(args, new Set(redact));
  }

  /** Returns other data that a tool shows, such as metadata, without members that a rule names. */
  shownBy(toolName: string, value: JsonValue): JsonValue {
    const redact = this.#rules.get(toolName)?.args;
    return redact === undefined || typeof redact === 'function'
      ? value
      : withoutMembers(value, new Set(redact));
  }

  /** Returns a preview as people see it, before values are removed from it. */
  previewOf(toolName: string, preview: JsonValue): JsonValue {
    const redact = this.#rules.get(toolName)?.preview;
    return this.shownBy(toolName, redact === undefined ? preview : applied(redact, preview));
  }

  /** Returns the values that the rules remove from these calls. */
  valuesOf(calls: readonly CallArgs[]): ReadonlySet<string> {
    const values = new Set<string>();
    for (const call of calls) {
      if (!this.isAbout(call.toolName)) continue;
      const shown = counts(leavesOf(this.argsOf(call)));
      // A value is secret even if a visible member contains it, too.
      for (const [leaf, count] of counts(leavesOf(call.args))) {
        if (count > (shown.get(leaf) ?? 0)) values.add(leaf);
      }
    }
    return values;
  }

  /** Returns the path in `given` of a placeholder for a redacted value. */
  placeholderIn(call: CallArgs, given: JsonValue): string | undefined {
    if (!this.isAbout(call.toolName)) return undefined;
    return placeholderIn(given, this.argsOf(call), call.args, []);
  }
}

function callRule(rule: Redact[string]): RedactCall {
  if (typeof rule === 'function') return { args: rule };
  // `Array.isArray` does not narrow readonly arrays.
  return 'args' in rule ? rule : { args: rule as readonly string[] };
}

/** A function is known by its text: the variables that it uses are not part of the fingerprint. */
function fingerprintOf(rules: ReadonlyMap<string, RedactCall>): string {
  const described = [...rules]
    .map(([name, { args, preview }]) => [
      name,
      typeof args === 'function' ? String(args) : [...args].toSorted(),
      preview === undefined ? null : String(preview),
    ])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return hashOf('holdpoint/redaction/1', described);
}

/** A function of the application that throws redacts everything. */
function applied(redact: (value: JsonValue) => JsonValue, value: JsonValue): JsonValue {
  try {
    return toJson(redact(value));
  } catch {
    return REDACTED;
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

/** Returns the texts and numbers in a value, as texts. */
function leavesOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((one) => leavesOf(one));
}

function counts(leaves: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const leaf of leaves) found.set(leaf, (found.get(leaf) ?? 0) + 1);
  return found;
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
