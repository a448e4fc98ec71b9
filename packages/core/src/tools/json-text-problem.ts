import { MAX_DEPTH } from '../internal/json.ts';

/**
 * Returns what is wrong with a valid JSON text that a JavaScript value cannot represent faithfully, or
 * `undefined`.
 *
 * `JSON.parse` keeps the last of two equal keys, turns `1e400` into `Infinity` and rounds big integers. An
 * approver would then see something else than the model sent.
 */
export function jsonTextProblem(text: string): string | undefined {
  /** The keys of each enclosing object; `undefined` for an enclosing list. */
  const enclosing: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') {
      const end = endOfString(text, index);
      if (isKeyNext) {
        const key = stringIn(text, index, end);
        const keys = enclosing.at(-1);
        if (keys?.has(key))
          return `The key ${JSON.stringify(key)} occurs twice in one object. Send it once.`;
        keys?.add(key);
        isKeyNext = false;
      }
      index = end;
      continue;
    }
    if (character === '-' || isDigit(character)) {
      const end = endOfNumber(text, index);
      const problem = numberProblem(text.slice(index, end));
      if (problem !== undefined) return problem;
      index = end;
      continue;
    }
    if (character === '{' || character === '[') {
      enclosing.push(character === '{' ? new Set() : undefined);
      if (enclosing.length > MAX_DEPTH) {
        return `The arguments are nested deeper than ${MAX_DEPTH} levels; flatten them.`;
      }
      isKeyNext = character === '{';
    } else if (character === '}' || character === ']') {
      enclosing.pop();
      isKeyNext = false;
    } else if (character === ',') {
      isKeyNext = enclosing.at(-1) !== undefined;
    }
    index += 1;
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text.charAt(index) !== '"') index += text.charAt(index) === '\\' ? 2 : 1;
  return index + 1;
}

/** Returns the string whose quotes are at `start` and before `end`. */
function stringIn(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  // Two spellings of one key are the same key.
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

function endOfNumber(text: string, start: number): number {
  let index = start + 1;
  while (isOfNumber(text.charAt(index))) index += 1;
  return index;
}

function isOfNumber(character: string): boolean {
  return isDigit(character) || (character !== '' && '.eE+-'.includes(character));
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function numberProblem(token: string): string | undefined {
  const value = Number(token);
  if (Number.isSafeInteger(value)) return undefined;
  if (!Number.isFinite(value)) return `The number ${token} is too large. Send a finite number.`;
  return /^-?\d+$/.test(token)
    ? `The integer ${token} cannot be represented exactly. Send it as text.`
    : undefined;
}
