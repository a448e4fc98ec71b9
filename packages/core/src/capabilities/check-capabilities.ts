import {
  checkOptions,
  invalidOption,
  type OptionTable,
  passInstead,
} from '../errors/check-options.ts';
import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { isPlainObject } from '../internal/json.ts';
import type { Capability } from './capability.ts';
import type { CapabilityHooks } from './hooks.ts';

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
export const MEMBERS: OptionTable<Capability> = {
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
  checkTyped(owner, capability, MEMBERS);
}

/** Throws a `UserError` unless these are the hooks that `forRun` of a capability has to return. */
export function checkRunHooks(name: string, hooks: unknown): void {
  if (typeof hooks !== 'object' || hooks === null) {
    throw new UserError(
      `\`forRun\` of capability \`${name}\` returned ${showValue(hooks)}. Return an object with the hooks of the run.`,
    );
  }
  checkTyped(`the hooks of capability \`${name}\``, hooks, HOOKS);
}

/** An object of a class may have members of its own, so only those that are known are validated there. */
function checkTyped(owner: string, given: object, table: OptionTable<CapabilityHooks>): void {
  if (isPlainObject(given)) return checkOptions(owner, given, table);
  // It is an object, and its members are looked at before they are used.
  const members = given as Readonly<Record<string, unknown>>;
  for (const [name, kind] of Object.entries(table)) {
    const member = members[name];
    if (kind === 'function' && member !== undefined && typeof member !== 'function') {
      throw invalidOption(owner, name, member, 'a function');
    }
  }
}

/** Throws if capabilities do not go together as they stand in the list. */
export function checkCapabilities(capabilities: readonly Capability<never>[]): void {
  for (const [index, capability] of capabilities.entries()) checkMembers(capability, index);
  const names = capabilities.map((capability) => capability.name);
  for (const [index, capability] of capabilities.entries()) {
    if (typeof capability.name !== 'string' || capability.name === '') {
      throw new UserError(`The capability at position ${index} has no name. Give it one.`);
    }
    for (const needed of capability.requires ?? []) {
      if (!names.includes(needed)) {
        throw new UserError(
          `The capability '${capability.name}' needs '${needed}', which is not there. Add it.`,
        );
      }
    }
    for (const other of capability.conflictsWith ?? []) {
      if (names.some((name, place) => name === other && place !== index)) {
        throw new UserError(
          other === capability.name
            ? `There can be only one capability '${other}'. Leave the others out.`
            : `The capabilities '${capability.name}' and '${other}' do not go together. Leave one out.`,
        );
      }
    }
    for (const earlier of capability.after ?? []) {
      if (names.lastIndexOf(earlier) > index) {
        throw new UserError(
          `The capability '${capability.name}' has to come after '${earlier}'. Change their order in the list.`,
        );
      }
    }
  }
}
