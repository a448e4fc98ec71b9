import { UserError } from 'holdpoint';
import { toJson } from '../model/json.ts';
import type { Store } from '../store/store.ts';
import { lockedHold } from '../transitions/answer-hold.ts';
import type { AnswerLinkOptions } from './answer-link.ts';
import { type IssuedToken, issueToken } from './issue-token.ts';

/** Makes a link to answer a hold as it is now. */
export function makeLink(
  store: Store,
  tenant: string,
  holdId: string,
  { for: person, roles = [], expiresAfter, answer }: AnswerLinkOptions,
): Promise<IssuedToken> {
  return store.write(async (tx) => {
    const { change, hold } = await lockedHold(tx, tenant, holdId);
    if (hold.state !== 'open') {
      throw new UserError(`Hold '${holdId}' is ${hold.state}: there is nothing to be answered.`);
    }
    if (hold.kind === 'external' && hold.inDoubt === undefined) {
      throw new UserError(
        `Hold '${holdId}' waits for a result, which nobody can give with a link. Use the desk.`,
      );
    }
    const { digest } = hold;
    const said = { digest, person, roles, answer };
    const issued = await issueToken(tx, {
      kind: 'answer-link',
      tenant,
      about: holdId,
      person,
      // An object gives one.
      data: toJson(said) as {},
      expiresAfter,
    });
    const { id: link, expiresAt } = issued.row;
    change.note('link-made', { holdId, digest, link, for: person.id, expiresAt });
    await change.save();
    return issued;
  });
}
