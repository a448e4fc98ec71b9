import { DeskError } from '../errors/desk-error.ts';

/** Returns the error for a missing row. It does not reveal rows of other tenants. */
export function notFound(
  what: 'run' | 'hold' | 'conversation' | 'grant' | 'link' | 'request' | 'key' | 'delegation',
  id: string,
): DeskError {
  return new DeskError('not-found', `There is no ${what} \`${id}\`. Check the id and the tenant.`);
}
