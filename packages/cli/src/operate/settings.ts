import { existsSync, readFileSync } from 'node:fs';
import {
  adviceFor,
  LOG_LEVELS,
  type LogLevel,
  type ReservedSlots,
  TASK_KINDS,
} from '@holdpoint/desk';
import { UserError } from 'holdpoint';

/** Settings of `holdpoint serve` and `holdpoint worker`. */
export interface Settings {
  /** The module with the options of the desk. */
  readonly desk: string;
  readonly host: string;
  readonly port: number;
  /** The address that people use. */
  readonly publicUrl: string | undefined;
  /** True if `serve` also executes runs. */
  readonly worker: boolean;
  readonly concurrency: number;
  /** The number of further slots for tasks of one kind. */
  readonly reservedSlots: ReservedSlots | undefined;
  readonly maxRunsPerTenant: number | undefined;
  readonly maxRunsPerAgent: number | Readonly<Record<string, number>> | undefined;
  /** The name that is stored with the tasks that the worker claims. */
  readonly workerName: string | undefined;
  /** The time that executing tool calls have when the process stops, in milliseconds. */
  readonly drainMs: number;
  /**
   * The time for which the process accepts requests after it reports that it is not ready, in
   * milliseconds.
   */
  readonly drainDelayMs: number;
  /** The port of the health checks of `worker`; none if missing. */
  readonly healthPort: number | undefined;
  readonly logLevel: LogLevel;
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcRolesClaim: string | undefined;
  readonly oidcPersonClaim: string | undefined;
  readonly oidcClientAuth: 'basic' | 'post' | undefined;
  readonly oidcDevice: boolean;
}

/** A setting: the name of its variable, its default, and how its text is read. */
interface Setting<Value> {
  readonly variable: string;
  readonly fallback: Value;
  readonly read: (text: string) => Value | undefined;
  /** Set for a setting that is an object in the file: how that object is read. */
  readonly readObject?: ((given: object) => Value | undefined) | undefined;
  /** The values that `read` accepts. */
  readonly expected: string;
}

const text = { read: (given: string) => given, expected: 'a text' };
const wholeNumber = (min: number, max: number) => ({
  read: (given: string) => {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  },
  expected: `a whole number from ${min} to ${max}`,
});
const oneOf = <Value extends string>(values: readonly Value[]) => ({
  read: (given: string) => values.find((value) => value === given),
  expected: values.join(' or '),
});
const YES_OR_NO = {
  read: (given: string) => ({ true: true, false: false })[given],
  expected: 'true or false',
};

/** Numbers by name: `reports=2, billing=4` in a variable, an object in the file. */
function numbersByName(min: number, names?: readonly string[]) {
  const { read } = wholeNumber(min, MAX_COUNT);
  const readEntries = (entries: readonly (readonly string[])[]) => {
    const numbers = entries.map(([name = '', number = '']) => [name, read(number)] as const);
    const isKnown = (name: string) => name !== '' && (names?.includes(name) ?? true);
    const isValid = numbers.every(([name, number]) => isKnown(name) && number !== undefined);
    const isUnique = new Set(numbers.map(([name]) => name)).size === numbers.length;
    if (!isValid || !isUnique || numbers.length === 0) return undefined;
    // Every number was read.
    return Object.fromEntries(numbers) as Readonly<Record<string, number>>;
  };
  const kinds = names === undefined ? '`name=number`' : `\`kind=number\` with ${names.join(', ')}`;
  return {
    read: (given: string) =>
      readEntries(given.split(',').map((entry) => entry.split('=').map((part) => part.trim()))),
    readObject: (given: object) =>
      readEntries(Object.entries(given).map(([name, number]) => [name, String(number)])),
    expected: `${kinds}, separated by commas, each number from ${min} to ${MAX_COUNT}`,
  };
}

const MAX_COUNT = 10_000;
const byAgent = numbersByName(1);
const MAX_MS = 3_600_000;

/** All settings. The file has the names, the environment the variables. */
const SETTINGS: { readonly [Name in keyof Settings]: Setting<Settings[Name]> } = {
  desk: { variable: 'HOLDPOINT_DESK', fallback: 'desk.js', ...text },
  host: { variable: 'HOLDPOINT_HOST', fallback: '127.0.0.1', ...text },
  port: { variable: 'HOLDPOINT_PORT', fallback: 4680, ...wholeNumber(0, 65_535) },
  publicUrl: { variable: 'HOLDPOINT_PUBLIC_URL', fallback: undefined, ...text },
  worker: { variable: 'HOLDPOINT_WORKER', fallback: false, ...YES_OR_NO },
  concurrency: { variable: 'HOLDPOINT_CONCURRENCY', fallback: 4, ...wholeNumber(1, 1_000) },
  reservedSlots: {
    variable: 'HOLDPOINT_RESERVED_SLOTS',
    fallback: undefined,
    ...numbersByName(0, TASK_KINDS),
  },
  maxRunsPerTenant: {
    variable: 'HOLDPOINT_MAX_RUNS_PER_TENANT',
    fallback: undefined,
    ...wholeNumber(1, MAX_COUNT),
  },
  maxRunsPerAgent: {
    variable: 'HOLDPOINT_MAX_RUNS_PER_AGENT',
    fallback: undefined,
    ...byAgent,
    read: (given) => wholeNumber(1, MAX_COUNT).read(given) ?? byAgent.read(given),
    expected: `a whole number from 1 to ${MAX_COUNT}, or ${byAgent.expected}`,
  },
  workerName: { variable: 'HOLDPOINT_WORKER_NAME', fallback: undefined, ...text },
  drainMs: { variable: 'HOLDPOINT_DRAIN_MS', fallback: 30_000, ...wholeNumber(0, MAX_MS) },
  drainDelayMs: { variable: 'HOLDPOINT_DRAIN_DELAY_MS', fallback: 0, ...wholeNumber(0, MAX_MS) },
  healthPort: {
    variable: 'HOLDPOINT_HEALTH_PORT',
    fallback: undefined,
    ...wholeNumber(0, 65_535),
  },
  logLevel: { variable: 'HOLDPOINT_LOG_LEVEL', fallback: 'info', ...oneOf(LOG_LEVELS) },
  oidcIssuer: { variable: 'HOLDPOINT_OIDC_ISSUER', fallback: undefined, ...text },
  oidcClientId: { variable: 'HOLDPOINT_OIDC_CLIENT_ID', fallback: undefined, ...text },
  oidcRolesClaim: { variable: 'HOLDPOINT_OIDC_ROLES_CLAIM', fallback: undefined, ...text },
  oidcPersonClaim: { variable: 'HOLDPOINT_OIDC_PERSON_CLAIM', fallback: undefined, ...text },
  oidcClientAuth: {
    variable: 'HOLDPOINT_OIDC_CLIENT_AUTH',
    fallback: undefined,
    ...oneOf(['basic', 'post']),
  },
  oidcDevice: { variable: 'HOLDPOINT_OIDC_DEVICE', fallback: false, ...YES_OR_NO },
};

/** Variables that other commands and the desk read. */
const OTHER_VARIABLES: readonly string[] = [
  'HOLDPOINT_CONFIG',
  'HOLDPOINT_DATABASE',
  'HOLDPOINT_KEY',
  'HOLDPOINT_MODEL',
  'HOLDPOINT_OIDC_CLIENT_SECRET',
  'HOLDPOINT_TOKEN',
  'HOLDPOINT_URL',
];

const DEFAULT_FILE = 'holdpoint.json';

/** The sources of settings. Flags take precedence over the environment, and the environment over the file. */
export interface SettingSources {
  readonly flags: Readonly<Partial<Record<keyof Settings, string | undefined>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The path of the file; by default `HOLDPOINT_CONFIG`, then `holdpoint.json` if it exists. */
  readonly file?: string | undefined;
}

/** Reads and validates all settings. */
export function readSettings({ flags, environment, file }: SettingSources): Settings {
  checkVariables(environment);
  const stored = readFile(file ?? (environment['HOLDPOINT_CONFIG'] || undefined));
  const valueOf = <Name extends keyof Settings>(name: Name): Settings[Name] => {
    const { variable, fallback, read, readObject, expected } = SETTINGS[name];
    const ofEnvironment = environment[variable] || undefined;
    const [source, given] =
      flags[name] !== undefined
        ? [`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, flags[name]]
        : ofEnvironment !== undefined
          ? [variable, ofEnvironment]
          : [`${stored.path}: ${name}`, stored.values[name]];
    if (given === undefined) return fallback;
    const value = isObject(given) ? readObject?.(given) : read(String(given));
    if (value !== undefined) return value;
    const shown = isObject(given) ? JSON.stringify(given) : String(given);
    throw new UserError(`\`${source}\` is \`${shown}\`. Set it to ${expected}.`);
  };
  const entries = Object.keys(SETTINGS).map((name) => [name, valueOf(name as keyof Settings)]);
  // Each member has the value of its setting.
  return Object.fromEntries(entries) as unknown as Settings;
}

/** A misspelt variable would be ignored, and its default would apply. */
function checkVariables(environment: SettingSources['environment']): void {
  const known = [...Object.values(SETTINGS).map(({ variable }) => variable), ...OTHER_VARIABLES];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('HOLDPOINT_') || known.includes(name)) continue;
    throw new UserError(`Unknown environment variable \`${name}\`. ${adviceFor(name, known)}`);
  }
}

interface StoredSettings {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function readFile(given: string | undefined): StoredSettings {
  const path = given ?? DEFAULT_FILE;
  if (given === undefined && !existsSync(path)) return { path, values: {} };
  const values = parse(path);
  if (!isObject(values)) {
    throw new UserError(`\`${path}\` contains no JSON object. Write one with settings as members.`);
  }
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(SETTINGS, name)) {
      const advice = adviceFor(name, Object.keys(SETTINGS));
      throw new UserError(`Unknown setting \`${name}\` in \`${path}\`. ${advice}`);
    }
    const isScalar = ['string', 'number', 'boolean'].includes(typeof value);
    if (isScalar || (isObject(value) && hasObject(name))) continue;
    const kinds = hasObject(name) ? 'text, number or object' : 'text, number or boolean';
    throw new UserError(
      `The setting \`${name}\` in \`${path}\` is not a ${kinds}. Set it to one of these.`,
    );
  }
  return { path, values: { ...values } };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a setting may be an object in the file. */
function hasObject(name: string): boolean {
  // The name was found in the settings.
  return SETTINGS[name as keyof Settings].readObject !== undefined;
}

function parse(path: string): unknown {
  if (!existsSync(path)) throw new UserError(`There is no file \`${path}\`. Check the path.`);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(`\`${path}\` cannot be read: ${reason}. Check the file.`, { cause });
  }
}
