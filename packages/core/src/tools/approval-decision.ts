import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';

/**
 * Returns the decision of a function that decides whether a call needs approval.
 *
 * Only `true` and `false` are decisions. Everything else is a mistake, such as a forgotten `return`, and
 * the call must not execute.
 */
export async function requireDecision(decider: string, decide: () => unknown): Promise<boolean> {
  const decided = await decide();
  if (typeof decided === 'boolean') return decided;
  throw new UserError(
    `${decider} returned ${showValue(decided)}. The call was not executed. Return \`true\` if it needs approval, ` +
      'and `false` if it does not.',
  );
}
