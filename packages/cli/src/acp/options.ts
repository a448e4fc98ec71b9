import type { ToolKind } from '@agentclientprotocol/sdk';
import type { Person } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import type { Exports } from '../modules/load-module.ts';

/** The export `acp` of an agent file. */
export interface AcpOptions {
  /** The kinds of tools by name, from which editors choose an icon. */
  readonly toolKinds?: Readonly<Record<string, ToolKind>> | undefined;
  /** The name of the agent, if the file exports a desk with several agents. */
  readonly agent?: string | undefined;
  /** The user of the editor, if the file exports a desk; the user of the operating system by default. */
  readonly person?: Person | undefined;
  /** The roles of the user of the editor, for the policy of the desk. */
  readonly roles?: readonly string[] | undefined;
}

const OPTIONS = ['toolKinds'];
const DESK_OPTIONS = [...OPTIONS, 'agent', 'person', 'roles'];

const KINDS: Readonly<Record<ToolKind, true>> = {
  read: true,
  edit: true,
  delete: true,
  move: true,
  search: true,
  execute: true,
  think: true,
  fetch: true,
  switch_mode: true,
  other: true,
};

/** Reads the export `acp` of a file. Throws if it has unknown members; some are only for a file with a desk. */
export function readAcpOptions(exported: Exports, isDesk = false): AcpOptions {
  const value = exported.find(([name]) => name === 'acp')?.[1];
  if (value === undefined) return {};
  if (!isRecord(value)) {
    throw new UserError('The export `acp` must be an object. Pass `{ toolKinds: { … } }`.');
  }
  const options = isDesk ? DESK_OPTIONS : OPTIONS;
  const unknown = Object.keys(value).find((name) => !options.includes(name));
  if (unknown !== undefined) {
    throw new UserError(
      `The export \`acp\` has the unknown option \`${unknown}\`. Use one of these: ${options.join(', ')}.`,
    );
  }
  const { toolKinds, agent, person, roles } = value;
  return {
    ...(toolKinds !== undefined && { toolKinds: readKinds(toolKinds) }),
    ...(agent !== undefined && { agent: readText('agent', agent) }),
    ...(person !== undefined && { person: readPerson(person) }),
    ...(roles !== undefined && { roles: readRoles(roles) }),
  };
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new UserError(
    `The option \`${name}\` of the export \`acp\` is ${JSON.stringify(value)}. Pass a text.`,
  );
}

function readPerson(value: unknown): Person {
  if (isRecord(value)) {
    const { id, name } = value;
    return {
      id: readText('person.id', id),
      ...(name !== undefined && { name: readText('person.name', name) }),
    };
  }
  throw new UserError(
    "The option `person` of the export `acp` must be an object. Pass `{ id: 'ada' }`.",
  );
}

function readRoles(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map((role) => readText('roles', role));
  throw new UserError('The option `roles` of the export `acp` must be a list of texts.');
}

function readKinds(value: unknown): Readonly<Record<string, ToolKind>> {
  if (!isRecord(value)) {
    throw new UserError(
      'The option `toolKinds` of the export `acp` must be an object with the kinds by tool name. ' +
        "Pass `{ write_file: 'edit' }`.",
    );
  }
  // Tool names come from the model, so the record has no prototype.
  const kinds: Record<string, ToolKind> = Object.create(null);
  for (const [name, kind] of Object.entries(value)) {
    if (!isKind(kind)) {
      throw new UserError(
        `The kind of tool \`${name}\` in the export \`acp\` is ${JSON.stringify(kind)}. ` +
          `Use one of these: ${Object.keys(KINDS).join(', ')}.`,
      );
    }
    kinds[name] = kind;
  }
  return kinds;
}

function isKind(value: unknown): value is ToolKind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
