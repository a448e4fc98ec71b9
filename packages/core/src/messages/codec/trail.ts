import { InvalidJsonError } from '../../errors/user-errors.ts';
import { isEmptyObject, isPlainObject } from '../../internal/json.ts';

/**
 * What readers do with what they have checked: make a frozen copy, freeze it as it is, since nobody
 * else has it, or leave it alone, since it is frozen.
 */
type Taking = 'copy' | 'freeze' | 'leave';

/**
 * The way from the top of a document down to the value that is being read.
 *
 * Readers `enter` a member, read it, and `leave` it; after a mistake the trail stays where it is.
 */
export class Trail {
  /** Whether readers copy what they read, rather than give it as it is. */
  readonly copies: boolean;
  /** Whether readers leave alone what they read, because it is frozen. */
  readonly leaves: boolean;
  /** Whether objects may have members that are not their own: somebody has added some to all of them. */
  readonly mayInherit: boolean = !isEmptyObject(Object.prototype);
  /** Whether what is read comes straight out of a text: all of its objects are plain. */
  readonly #isParsed: boolean;
  readonly #steps: (string | number)[] = [];
  #depth = 0;

  constructor(taking: Taking = 'copy') {
    this.copies = taking === 'copy';
    this.#isParsed = taking === 'freeze';
    this.leaves = taking === 'leave';
  }

  /** A trail that begins at some place that is not a document. */
  static at(...steps: readonly (string | number)[]): Trail {
    const trail = new Trail();
    for (const step of steps) trail.enter(step);
    return trail;
  }

  enter(step: string | number): void {
    this.#steps[this.#depth++] = step;
  }

  leave(levels = 1): void {
    this.#depth -= levels;
  }

  /** Whether a value is an object of JSON. */
  isObject(value: unknown): value is Record<string, unknown> {
    if (!this.#isParsed) return isPlainObject(value);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  }

  /** What was read, as it is given out. */
  take<T extends object>(value: T): T {
    return this.leaves ? value : Object.freeze(value);
  }

  /** Throws the mistake at this place. */
  fail(problem: string): never {
    throw new InvalidJsonError(this.#path(), problem);
  }

  /** Throws that something else was expected here than what was found. */
  mismatch(expected: string, found: unknown): never {
    this.fail(`Expected ${expected}, found ${describe(found)}.`);
  }

  /** Like {@link mismatch}, for a string that must be one of a few: repeats the one that was found. */
  mismatchedText(expected: string, found: unknown): never {
    if (typeof found !== 'string') return this.mismatch(expected, found);
    return this.fail(`Expected ${expected}, found ${quote(found)}.`);
  }

  #path(): string {
    let path = '';
    for (const step of this.#steps.slice(0, this.#depth)) {
      if (typeof step === 'number') path += `[${step}]`;
      else if (!/^[\w$]+$/.test(step)) path += `[${quote(step)}]`;
      else path += path === '' ? step : `.${quote(step).slice(1, -1)}`;
    }
    return path === '' ? 'document' : path;
  }
}

/** A string for an error message: quoted, and cut where it gets long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Says what was found without repeating it: it may be long, and it may be a secret. */
function describe(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'number':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'an array';
      return isPlainObject(value) ? 'an object' : 'an instance of a class';
    default:
      return `a ${typeof value}`;
  }
}
