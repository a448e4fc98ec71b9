import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authorize, openDesk, type Store } from '@holdpoint/desk';
import { agent } from './agent.ts';

const hash = (text: string) => createHash('sha256').update(text).digest();

/** Opens the desk: it stores parked runs, collects decisions and resumes runs. */
export function createDesk(store: Store, tokens: Readonly<Record<string, string>>) {
  /** Identifies callers by their tokens: the shop starts runs, and managers decide. */
  const authorize: Authorize = ({ headers }) => {
    const given = hash(headers.get('authorization') ?? '');
    const [id] =
      Object.entries(tokens).find(([, token]) => timingSafeEqual(hash(`Bearer ${token}`), given)) ??
      [];
    if (id === undefined) return undefined;
    return { tenant: 'default', person: { id }, roles: id === 'shop' ? [] : ['manager'] };
  };
  return openDesk({
    store,
    authorize,
    agents: { support: { agent } },
    // Only managers may approve refunds.
    approvers: { refund: { roles: ['manager'] } },
  });
}
