// The desk of the demo, as `holdpoint desk` serves it: the agent of a shop, with a SQLite file.
import { join } from 'node:path';
import type { Authorize, ServedDeskOptions } from '@holdpoint/desk';
import { sqliteStore } from '@holdpoint/desk';
import { signIn } from '@holdpoint/desk/sign-in';
import {
  DEMO_KEY,
  DEMO_ROOT,
  DEMO_URL,
  DESK_FILE,
  JOURNAL_FILE,
  PEOPLE,
  tokenOf,
} from './people.ts';
import { approvers, expiresAfter, Journal, shopAgent } from './shop.ts';

const { [DEMO_ROOT]: root = '', [DEMO_URL]: url = '', [DEMO_KEY]: key = '' } = process.env;
const store = await sqliteStore({ path: join(root, DESK_FILE) });
const journal = new Journal(join(root, JOURNAL_FILE));

/** Identifies terminals by their tokens. */
const authorize: Authorize = ({ headers }) =>
  Object.values(PEOPLE).find(
    ({ person }) => headers.get('authorization') === `Bearer ${tokenOf(person.id, key)}`,
  );

const desk: ServedDeskOptions<{ readonly shop: typeof shopAgent }> = {
  store,
  agents: { shop: { agent: shopAgent, deps: () => journal } },
  approvers,
  expiresAfter,
  authorize,
  // Browsers sign in with a link.
  signIn: signIn({ store, url }),
};

export default desk;
