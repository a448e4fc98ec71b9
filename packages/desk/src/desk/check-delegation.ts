import { UserError } from 'holdpoint';
import { isSamePerson } from '../approvers/same-person.ts';
import { checkOptions, kindOf } from '../model/check-keys.ts';
import { isAccountId } from '../model/key-scope.ts';
import type { NewDelegation } from '../transitions/delegate.ts';
import { checkPerson, checkRoles } from './check-decision.ts';
import { DELEGATE_OPTIONS, type DelegateOptions } from './method-options.ts';

/** Validates the options of `desk.delegate`. */
export function checkDelegation(options: DelegateOptions): NewDelegation {
  checkOptions<DelegateOptions>('`desk.delegate`', options, DELEGATE_OPTIONS);
  const delegator = checkPerson('the delegator', options.from);
  const delegate = checkPerson('the delegate', options.to);
  if (isSamePerson(delegator, delegate)) {
    throw new UserError(
      `\`from\` and \`to\` are the same person, \`${delegate.id}\`. Pass another delegate.`,
    );
  }
  for (const { id } of [delegator, delegate]) {
    if (!isAccountId(id)) continue;
    throw new UserError(
      `\`${id}\` is a service account, which decides only on its own behalf. Pass a person, or name the account in \`people\` of the policy.`,
    );
  }
  const createdBy = options.by === undefined ? delegator : checkPerson('the creator', options.by);
  const roles = checkRoles(options.roles ?? []);
  return { delegator, delegate, roles, endsAt: endOf(options.until), createdBy };
}

function endOf(until: Date | number): number {
  const endsAt = until instanceof Date ? until.getTime() : until;
  if (Number.isSafeInteger(endsAt)) return endsAt;
  throw new UserError(
    `\`until\` is ${kindOf(until)}. Pass a \`Date\`, or whole milliseconds since 1970.`,
  );
}
