import { DeskError } from '../errors/desk-error.ts';

/** There is no such thing for this tenant; whether another one has it is not said. */
export function notFound(
  what: 'run' | 'hold' | 'conversation' | 'grant' | 'link',
  id: string,
): DeskError {
  return new DeskError('not-found', `There is no ${what} \`${id}\`. Check the id and the tenant.`);
}
