import { UserError } from 'holdpoint';

/** The sort of value that an option accepts. */
export type OptionKind = 'whole' | 'text' | 'function' | 'any';

/** Validates the names of all options and the values of simple ones. */
export function checkOptions<Options extends object>(
  method: string,
  options: Options,
  known: Readonly<Record<keyof Required<Options> & string, OptionKind>>,
): void {
  // Programs without types pass anything.
  const given: unknown = options;
  if (Object.prototype.toString.call(given) !== '[object Object]') {
    throw new UserError(`The options of ${method} are not an object. Pass an object.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, name)) {
      throw new UserError(
        `${method} has no option \`${name}\`. Pass one of: ${Object.keys(known).join(', ')}.`,
      );
    }
    if (value !== undefined) checkValue(method, name, value, Reflect.get(known, name));
  }
}

function checkValue(method: string, name: string, value: unknown, kind: OptionKind): void {
  switch (kind) {
    case 'whole':
      if (Number.isSafeInteger(value) && Number(value) > 0) return;
      throw wrong(method, name, value, 'a positive integer');
    case 'text':
      if (typeof value === 'string' && value !== '') return;
      throw wrong(method, name, value, 'a text');
    case 'function':
      if (typeof value === 'function') return;
      throw wrong(method, name, value, 'a function');
    case 'any':
  }
}

function wrong(method: string, name: string, value: unknown, wanted: string): UserError {
  return new UserError(
    `\`${name}\` of ${method} is \`${String(value).slice(0, 100)}\`. Pass ${wanted}.`,
  );
}
