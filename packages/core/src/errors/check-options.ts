import { isPromise, showValue } from './show-value.ts';
import { suggestName } from './suggest-name.ts';
import { UserError } from './user-errors.ts';

/**
 * The kind of value that an option takes. A list names the texts that it takes. `milliseconds` are more than 0, a
 * `count` is a whole number from 0, `value` is everything but a promise and `null`, and `any` is everything.
 */
export type OptionKind = NamedKind | 'any' | readonly string[];

type NamedKind =
  | 'string'
  | 'number'
  | 'milliseconds'
  | 'count'
  | 'boolean'
  | 'function'
  | 'list'
  | 'object'
  | 'value';

/** The kind of every option. The compiler compares the names with those of the type. */
export type OptionTable<Options> = Readonly<Record<keyof Options, OptionKind>>;

/** The advice for a value of another kind. Each completes "Pass …". */
const EXPECTED: Readonly<Record<NamedKind, string>> = {
  string: 'a text',
  number: 'a number',
  milliseconds: 'more than 0 milliseconds',
  count: 'a whole number, 0 or more',
  boolean: '`true` or `false`',
  function: 'a function',
  list: 'a list',
  object: 'an object',
  value: 'a value, or leave the option out',
};

/**
 * Throws a `UserError` for an option that is not in the table, and for a value that does not have
 * the kind in the table. Absent and `undefined` options are valid.
 *
 * `owner` names the function or class that takes the options, such as "tool `wipe`". `advice`
 * completes the error for an unknown name that resembles no known one.
 */
export function checkOptions(
  owner: string,
  options: unknown,
  table: Readonly<Record<string, OptionKind>>,
  advice?: (unknown: string) => string,
): void {
  if (options === undefined) return;
  if (!matchesKind(options, 'object') || hasNoMembers(options)) throw noOptions(owner, options);
  // `matchesKind` accepts only objects here.
  const given = options as Readonly<Record<string, unknown>>;
  const unknown: string[] = [];
  // Inherited options take effect like any other, so they are validated like any other.
  for (const name in given) if (!Object.hasOwn(table, name)) unknown.push(name);
  if (unknown.length > 0) throw unknownOptions(owner, unknown, Object.keys(table), advice);
  if (isOfOtherClass(given, table)) throw noOptions(owner, options);
  for (const name in table) {
    const kind = table[name];
    const value = given[name];
    if (value === undefined || kind === undefined || kind === 'any' || matchesKind(value, kind))
      continue;
    const expected =
      typeof kind === 'string' ? EXPECTED[kind] : kind.map((one) => `\`'${one}'\``).join(' or ');
    throw invalidOption(owner, name, value, expected);
  }
}

/**
 * Returns whether a value is an instance of a built-in class such as `Map`, which has none of the
 * options.
 */
function hasNoMembers(options: unknown): boolean {
  return Object.prototype.toString.call(options) !== '[object Object]';
}

/**
 * Returns whether a value is an instance of a class without these options, such as a ledger in
 * place of `{ ledger }`.
 */
function isOfOtherClass(
  given: Readonly<Record<string, unknown>>,
  table: Readonly<Record<string, OptionKind>>,
): boolean {
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return false;
  return !Object.keys(table).some((name) => name in given);
}

function noOptions(owner: string, options: unknown): UserError {
  return new UserError(
    `The options of ${owner} are ${showValue(options)}. ${passInstead(options, 'an object')}`,
  );
}

/** Validates options like {@link checkOptions}, and throws if they are missing. */
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

/** Returns the owner of options for errors: a text among the options, such as a name, or the function that takes them. */
export function ownerOf(options: unknown, member: string, label: string, caller: string): string {
  // Callers without types may pass any value, also one without members.
  const text = (Object(options) as Readonly<Record<string, unknown>>)[member];
  return typeof text === 'string' ? `${label} \`${text}\`` : `\`${caller}\``;
}

/** Returns the error for an option with an invalid value. `expected` completes "Pass …". */
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

function unknownOptions(
  owner: string,
  unknown: readonly string[],
  known: readonly string[],
  advice: ((unknown: string) => string) | undefined,
): UserError {
  let areListed = false;
  const problems = unknown.map((name) => {
    const suggestion = suggestName(name, known);
    const hint = suggestion === undefined ? advice?.(name) : `Did you mean \`${suggestion}\`?`;
    areListed ||= hint === undefined;
    return `Unknown option \`${name}\` of ${owner}. ${hint ?? ''}`.trimEnd();
  });
  if (areListed) problems.push(`Known options: ${known.map((one) => `\`${one}\``).join(', ')}.`);
  return new UserError(problems.join(' '));
}

function matchesKind(value: unknown, kind: Exclude<OptionKind, 'any'>): boolean {
  switch (kind) {
    case 'list':
      return Array.isArray(value);
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        !('then' in value && typeof value.then === 'function')
      );
    case 'value':
      return value !== null && !isPromise(value);
    case 'milliseconds':
      return typeof value === 'number' && value > 0;
    case 'count':
      return Number.isInteger(value) && Number(value) >= 0;
    case 'number':
      return typeof value === 'number' && !Number.isNaN(value);
    case 'string':
    case 'boolean':
    case 'function':
      return typeof value === kind;
    default:
      return typeof value === 'string' && kind.includes(value);
  }
}
