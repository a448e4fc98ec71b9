import { UserError } from 'holdpoint';

/** The names of the members of a type: a member that is missing here does not compile. */
export type KeysOf<Options> = Readonly<Record<keyof Options, true>>;

/** Throws unless options are an object with no other members than these. */
export function checkOptions<Options>(
  what: string,
  options: unknown,
  known: KeysOf<Options>,
): asserts options is Options {
  if (options === undefined) throw new UserError(`${what} needs options. Pass an object.`);
  if (!isRecord(options)) {
    const advice = isThenable(options) ? 'Did you forget `await`?' : 'Pass an object.';
    throw new UserError(`The options of ${what} are ${kindOf(options)}. ${advice}`);
  }
  checkKeys(what, options, Object.keys(known));
}

/**
 * Returns whether a value is an object whose members can be options. A promise, a `Map` or a `Date`
 * has no own members, so each option would be missing.
 */
export function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]' && !isThenable(value);
}

/** Throws for a member that is not one of these, and names the one that was probably meant. */
export function checkKeys(what: string, value: object, known: readonly string[]): void {
  // An inherited member takes effect like any other.
  for (const key in value) {
    if (known.includes(key)) continue;
    throw new UserError(`Unknown option \`${key}\` of ${what}. ${adviceFor(key, known)}`);
  }
}

/** Throws unless an optional function is one. */
export function checkFunction<Given extends (...args: never) => unknown>(
  option: string,
  given: Given | undefined,
): Given | undefined {
  // Programs without types pass anything.
  const value: unknown = given;
  if (value === undefined || typeof value === 'function') return given;
  throw new UserError(`\`${option}\` is ${kindOf(value)}. Pass a function, or leave it out.`);
}

/** Throws unless an optional switch is `true` or `false`: a text such as 'false' is neither. */
export function checkSwitch(option: string, given: boolean | undefined): boolean {
  const value: unknown = given;
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw new UserError(`\`${option}\` is ${kindOf(value)}. Pass \`true\` or \`false\`.`);
}

/** Throws unless a value is a text that is not empty. */
export function requireText(what: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  const isPromise = isThenable(value);
  const kind = value === '' ? 'empty' : kindOf(value);
  throw new UserError(
    `${what} is ${kind}. ${isPromise ? 'Did you forget `await`?' : 'Pass a text.'}`,
  );
}

/** Names a value for an error message. */
export function kindOf(value: unknown): string {
  if (value === null) return '`null`';
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  if (isThenable(value)) return 'a promise';
  if (typeof value === 'object') return isRecord(value) ? 'an object' : `a ${classOf(value)}`;
  if (typeof value === 'function') return 'a function';
  // JSON has no big integers.
  if (typeof value === 'bigint') return `\`${value}n\``;
  return `\`${JSON.stringify(value) ?? String(value)}\``;
}

/** Describes a value in an error message: a primitive by its value, an object by its kind. */
export function shownValue(value: unknown): string {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? kindOf(value) : String(value);
}

/** Returns the name of the built-in class of an object, such as `Map`. */
function classOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Returns whether a value is a promise, or one of another library. */
export function isThenable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function'
  );
}

/** Returns advice for an unknown name: the known one that is nearest, or all of them. */
export function adviceFor(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  if (nearest !== undefined) return `Did you mean \`${nearest}\`?`;
  return known.length === 0 ? 'There are none.' : `Use one of: ${known.join(', ')}.`;
}

function nearestOf(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((one) => ({ one, distance: distanceOf(plain(name), plain(one)) }));
  const [best] = distances.toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(2, name.length / 3) ? best.one : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Returns the number of letters to insert, remove or replace. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
