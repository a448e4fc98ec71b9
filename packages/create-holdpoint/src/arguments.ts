import { parseArgs } from 'node:util';
import { closestName } from './closest-name.ts';
import { requireTemplate, type TemplateName } from './templates.ts';
import { UsageError } from './usage-error.ts';

/** The command line. */
export interface Arguments {
  readonly folder?: string | undefined;
  readonly template?: TemplateName | undefined;
  readonly install: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

const OPTIONS = {
  template: { type: 'string', short: 't' },
  install: { type: 'boolean', short: 'i' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

type OptionName = keyof typeof OPTIONS;

const NAMES = Object.keys(OPTIONS);

/** Reads the command line. Unknown options, repeated options and surplus arguments are errors. */
export function readArguments(args: readonly string[]): Arguments {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const folders: string[] = [];
  const values = new Map<OptionName, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') folders.push(token.value);
    if (token.kind !== 'option') continue;
    const name = requireOption(token.name, token.rawName);
    if (values.has(name)) throw new UsageError(`Option \`--${name}\` is set twice. Set it once.`);
    values.set(name, valueOf(name, token.value));
  }
  const [folder, surplus] = folders;
  if (surplus !== undefined) {
    throw new UsageError(`Unexpected argument: ${surplus}. Pass one folder.`);
  }
  if (folder?.trim() === '') {
    throw new UsageError('The folder is empty. Pass the folder of the new project.');
  }
  const template = values.get('template');
  return {
    folder,
    template: template === undefined ? undefined : requireTemplate(template),
    install: values.has('install'),
    help: values.has('help'),
    version: values.has('version'),
  };
}

function requireOption(name: string, written: string): OptionName {
  // `OPTIONS` has no inherited names, so a known name is a key of it.
  if (Object.hasOwn(OPTIONS, name)) return name as OptionName;
  const closest = closestName(name, NAMES);
  const hint = closest === undefined ? '' : ` Did you mean: --${closest}?`;
  throw new UsageError(
    `Unknown option: ${written}.${hint} Use \`--help\` to list the options. ` +
      'With `npm create`, write `--` before options.',
  );
}

function valueOf(name: OptionName, value: string | undefined): string {
  const isText = OPTIONS[name].type === 'string';
  if (isText && !value) throw new UsageError(`Option \`--${name}\` needs a value.`);
  if (!isText && value !== undefined) {
    throw new UsageError(`Option \`--${name}\` accepts no value. Remove \`=${value}\`.`);
  }
  return value ?? '';
}
