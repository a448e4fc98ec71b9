import { UserError } from '../errors/user-error.ts';
import type { Capability } from './capability.ts';

/** Throws if capabilities do not go together as they stand in the list. */
export function checkCapabilities(capabilities: readonly Capability<never>[]): void {
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
