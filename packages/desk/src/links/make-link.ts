import { UserError } from 'holdpoint';
import { toJson } from '../model/json.ts';
import type { Store } from '../store/store.ts';
import { lockedHold } from '../transitions/decide-hold.ts';
import type { DecisionLinkOptions } from './decision-link.ts';
import { type IssuedToken, issueToken } from './issue-token.ts';

/** Creates a link to decide the current hold. */
export function makeLink(
  store: Store,
  tenant: string,
  holdId: string,
  { for: person, roles = [], expiresAfter, decision }: DecisionLinkOptions,
): Promise<IssuedToken> {
  return store.write(async (tx) => {
    const { change, hold } = await lockedHold(tx, tenant, holdId);
    if (hold.state !== 'open') {
      throw new UserError(
        `Hold \`${holdId}\` is ${hold.state}, so a link could not decide it. Use an open hold.`,
      );
    }
    if (hold.kind === 'question') {
      throw new UserError(
        `Hold \`${holdId}\` has a question, which a link cannot respond to. Use \`desk.decide\`.`,
      );
    }
    if (hold.kind === 'external' && hold.inDoubt === undefined) {
      throw new UserError(
        `Hold \`${holdId}\` needs a result, which a link cannot supply. Use \`desk.decide\`.`,
      );
    }
    const { digest } = hold;
    const data = { digest, person, roles, decision };
    const issued = await issueToken(tx, {
      kind: 'decision-link',
      tenant,
      about: holdId,
      person,
      // The JSON of an object is an object.
      data: toJson(data) as {},
      expiresAfter,
    });
    const { id: link, expiresAt } = issued.row;
    change.record('link-created', { holdId, digest, link, expiresAt });
    await change.save();
    return issued;
  });
}
