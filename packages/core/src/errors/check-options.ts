import { isPromise, showValue } from './show-value.ts';
import { suggestName } from './suggest-name.ts';
import { UserError } from './user-errors.ts';

/**
 * The kind of value that an option takes. A list names the texts that it takes. `value` is everything but
 * a promise and `null`; `any` is everything.
 */
export type OptionKind = NamedKind | 'any' | readonly string[];

type NamedKind = 'string' | 'number' | 'boolean' | 'function' | 'list' | 'object' | 'value';

/** The kind of every option. The compiler compares the names with those of the type. */
export type OptionTable<Options> = Readonly<Record<keyof Options, OptionKind>>;

interface Kind {
  readonly accepts: (value: unknown) => boolean;
  /** Completes "Pass …". */
  readonly expected: string;
}

const KINDS: Readonly<Record<NamedKind, Kind>> = {
  string: { accepts: (value) => typeof value === 'string', expected: 'a text' },
  number: { accepts: (value) => typeof value === 'number', expected: 'a number' },
  boolean: { accepts: (value) => typeof value === 'boolean', expected: '`true` or `false`' },
  function: { accepts: (value) => typeof value === 'function', expected: 'a function' },
  list: { accepts: Array.isArray, expected: 'a list' },
  object: { accepts: isObject, expected: 'an object' },
  value: {
    accepts: (value) => value !== null && !isPromise(value),
    expected: 'a value, or leave the option out',
  },
};

/**
 * Throws a `UserError` for an option that is not in the table, and for a value of another kind than the
 * table has. Options that are absent or `undefined` pass.
 *
 * `owner` names who takes the options, such as "tool `wipe`". `advice` is given for an unknown name that
 * resembles no known one.
 */
export function checkOptions(
  owner: string,
  options: unknown,
  table: Readonly<Record<string, OptionKind>>,
  advice?: (unknown: string) => string,
): void {
  if (options === undefined) return;
  if (!isObject(options)) {
    throw new UserError(
      `The options of ${owner} are ${showValue(options)}. ${passInstead(options, 'an object')}`,
    );
  }
  rejectUnknownOptions(owner, options, table, advice);
  for (const [name, kind] of Object.entries(table)) {
    const value = options[name];
    if (value !== undefined && kind !== 'any') checkKind(owner, name, value, kind);
  }
}

/** The same for options that must be given. */
export function checkRequiredOptions(
  owner: string,
  options: unknown,
  table: Readonly<Record<string, OptionKind>>,
  caller: string = owner,
): void {
  if (options === undefined) {
    throw new UserError(`${caller} was called without options. Pass an object.`);
  }
  checkOptions(owner, options, table);
}

/** Names who takes options: by a text among them, such as its name, or by the function that takes them. */
export function ownerOf(options: unknown, member: string, label: string, caller: string): string {
  // Without types anything can be given; whatever is no object has no such member.
  const text = (Object(options) as Readonly<Record<string, unknown>>)[member];
  return typeof text === 'string' ? `${label} \`${text}\`` : `\`${caller}\``;
}

/** Returns the error for an option whose value does not do. `expected` completes "Pass …". */
export function invalidOption(
  owner: string,
  name: string,
  value: unknown,
  expected: string,
): UserError {
  return new UserError(
    `Option \`${name}\` of ${owner} is ${showValue(value)}. ${passInstead(value, expected)}`,
  );
}

/** Throws unless an argument is a function. `what` names it, such as "The policy of `approvalRequired`". */
export function requireFunction(what: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new UserError(`${what} is ${showValue(value)}. Pass a function.`);
}

/** Returns the advice to pass something else, or to await a promise. */
export function passInstead(value: unknown, expected: string): string {
  return isPromise(value) ? 'Did you forget `await`?' : `Pass ${expected}.`;
}

function rejectUnknownOptions(
  owner: string,
  options: object,
  table: Readonly<Record<string, OptionKind>>,
  advice: ((unknown: string) => string) | undefined,
): void {
  const unknown: string[] = [];
  // Inherited options take effect like any other, so they are validated like any other.
  for (const name in options) if (!Object.hasOwn(table, name)) unknown.push(name);
  if (unknown.length === 0) return;
  const known = Object.keys(table);
  let areListed = false;
  const problems = unknown.map((name) => {
    const suggestion = suggestName(name, known);
    const hint = suggestion === undefined ? advice?.(name) : `Did you mean \`${suggestion}\`?`;
    areListed ||= hint === undefined;
    return `Unknown option \`${name}\` of ${owner}. ${hint ?? ''}`.trimEnd();
  });
  if (areListed) problems.push(`Known options: ${known.map((one) => `\`${one}\``).join(', ')}.`);
  throw new UserError(problems.join(' '));
}

function checkKind(
  owner: string,
  name: string,
  value: unknown,
  kind: Exclude<OptionKind, 'any'>,
): void {
  if (typeof kind !== 'string') {
    if (typeof value === 'string' && kind.includes(value)) return;
    throw invalidOption(owner, name, value, kind.map((one) => `\`'${one}'\``).join(' or '));
  }
  const { accepts, expected } = KINDS[kind];
  if (!accepts(value)) throw invalidOption(owner, name, value, expected);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isPromise(value);
}
