const MAX_TEXT = 60;

/**
 * Describes a value in an error message. It quotes texts and numbers, and names the kind of objects
 * and functions. It omits the content of objects, because it may be secret.
 */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return `\`'${shorten(value)}'\``;
  if (typeof value === 'function')
    return isClass(value) ? `the class \`${value.name}\`` : 'a function';
  if (typeof value !== 'object' || value === null) return `\`${String(value)}\``;
  if (isPromise(value)) return 'a promise';
  if (Array.isArray(value)) return 'an array';
  const name = classNameOf(value);
  if (name === undefined) return 'an object';
  return `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} \`${name}\``;
}

/** Returns whether a value can be awaited. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Returns the name of the class of an object; `undefined` for a plain object. */
function classNameOf(value: object): string | undefined {
  const prototype: { readonly constructor?: unknown } | null = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const { constructor } = prototype;
  return typeof constructor === 'function' && constructor.name !== ''
    ? constructor.name
    : undefined;
}

function isClass(value: Function): boolean {
  return value.name !== '' && Function.prototype.toString.call(value).startsWith('class');
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
