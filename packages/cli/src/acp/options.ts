import type { ToolKind } from '@agentclientprotocol/sdk';
import { UserError } from 'holdpoint';
import type { Exports } from '../modules/load-module.ts';

/** The export `acp` of an agent file. */
export interface AcpOptions {
  /** The kinds of tools by name, from which editors choose an icon. */
  readonly toolKinds?: Readonly<Record<string, ToolKind>> | undefined;
}

const OPTIONS = ['toolKinds'];

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

/** Reads the export `acp` of an agent file. Throws if it has unknown members. */
export function readAcpOptions(exported: Exports): AcpOptions {
  const value = exported.find(([name]) => name === 'acp')?.[1];
  if (value === undefined) return {};
  if (!isRecord(value)) {
    throw new UserError('The export `acp` must be an object. Pass `{ toolKinds: { … } }`.');
  }
  const unknown = Object.keys(value).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new UserError(
      `The export \`acp\` has the unknown option \`${unknown}\`. Use one of these: ${OPTIONS.join(', ')}.`,
    );
  }
  const { toolKinds } = value;
  return toolKinds === undefined ? {} : { toolKinds: readKinds(toolKinds) };
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
