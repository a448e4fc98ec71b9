import {
  checkOptions,
  invalidOption,
  type OptionTable,
  passInstead,
} from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { isPlainObject } from '../internal/json.ts';
import type { Capability, CapabilityHooks } from './capability.ts';

const HOOKS: OptionTable<CapabilityHooks> = {
  wrapRun: 'function',
  wrapModelRequest: 'function',
  wrapToolValidation: 'function',
  wrapToolExecution: 'function',
  wrapOutput: 'function',
  onEvent: 'function',
  handleDeferredToolCalls: 'function',
};

/** The members of a capability. */
export const CAPABILITY_MEMBERS: OptionTable<Capability> = {
  ...HOOKS,
  name: 'value',
  requires: 'list',
  conflictsWith: 'list',
  after: 'list',
  forRun: 'function',
  instructions: 'value',
  tools: 'value',
  toolsets: 'list',
  changeTools: 'function',
  nativeTools: 'list',
  modelSettings: 'value',
  historyProcessors: 'list',
  toolSearch: 'object',
};

/** Throws a `UserError` for a member of a capability that is unknown or of another type. */
function checkMembers(capability: unknown, index: number): void {
  if (typeof capability !== 'object' || capability === null || Array.isArray(capability)) {
    throw new UserError(
      `\`capabilities[${index}]\` is ${showValue(capability)}. ${passInstead(capability, 'a capability')}`,
    );
  }
  const name = 'name' in capability ? capability.name : undefined;
  const owner = typeof name === 'string' ? `capability \`${name}\`` : `\`capabilities[${index}]\``;
  checkTyped(owner, capability, CAPABILITY_MEMBERS);
}

/** Throws a `UserError` unless these are valid hooks, as `forRun` of a capability must return. */
export function checkRunHooks(name: string, hooks: unknown): void {
  if (typeof hooks !== 'object' || hooks === null) {
    throw new UserError(
      `\`forRun\` of capability \`${name}\` returned ${showValue(hooks)}. Return an object with the hooks of the run.`,
    );
  }
  checkTyped(`the hooks of capability \`${name}\``, hooks, HOOKS);
}

/** Validates the types of members. An object of a class may have further members, so unknown names are accepted there. */
function checkTyped(owner: string, given: object, table: OptionTable<CapabilityHooks>): void {
  if (isPlainObject(given)) return checkOptions(owner, given, table);
  // Each member is validated before it is used.
  const members = given as Readonly<Record<string, unknown>>;
  for (const [name, kind] of Object.entries(table)) {
    const member = members[name];
    if (kind === 'function' && member !== undefined && typeof member !== 'function') {
      throw invalidOption(owner, name, member, 'a function');
    }
  }
}

/** Throws a `UserError` if a capability is invalid, or if the list violates a requirement of one. */
export function checkCapabilities(capabilities: readonly Capability<never>[]): void {
  for (const [index, capability] of capabilities.entries()) checkMembers(capability, index);
  const names = capabilities.map((capability) => capability.name);
  for (const [index, capability] of capabilities.entries()) {
    if (typeof capability.name !== 'string' || capability.name === '') {
      throw new UserError(
        `\`capabilities[${index}]\` has no name, which errors and other capabilities use. Set \`name\`.`,
      );
    }
    for (const needed of capability.requires ?? []) {
      if (!names.includes(needed)) {
        throw new UserError(
          `Capability \`${capability.name}\` requires \`${needed}\`, which is missing. Add it to \`capabilities\`.`,
        );
      }
    }
    for (const other of capability.conflictsWith ?? []) {
      if (names.some((name, otherIndex) => name === other && otherIndex !== index)) {
        throw new UserError(
          other === capability.name
            ? `There can be only one capability \`${other}\`. Remove the others from \`capabilities\`.`
            : `Capability \`${capability.name}\` conflicts with \`${other}\`. Remove one of them from \`capabilities\`.`,
        );
      }
    }
    for (const earlier of capability.after ?? []) {
      if (names.lastIndexOf(earlier) > index) {
        throw new UserError(
          `Capability \`${capability.name}\` must come after \`${earlier}\`. Change their order in \`capabilities\`.`,
        );
      }
    }
  }
}
