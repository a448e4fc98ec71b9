// The desk of the demo, as `holdpoint desk` serves it: the agent of a shop, in a SQLite file.
import { join } from 'node:path';
import { type Authorize, type ServedDeskOptions, sqliteStore } from '@holdpoint/desk';
import { signIn } from '@holdpoint/desk/sign-in';
import {
  BOOKS_FILE,
  DEMO_KEY,
  DEMO_ROOT,
  DEMO_URL,
  DESK_FILE,
  PEOPLE,
  tokenOf,
} from './demo-people.ts';
import { approvers, Books, expiresAfter, shopAgent } from './shop.ts';

const { [DEMO_ROOT]: root = '', [DEMO_URL]: url = '', [DEMO_KEY]: key = '' } = process.env;
const store = await sqliteStore({ path: join(root, DESK_FILE) });
const books = new Books(join(root, BOOKS_FILE));

/** Programs show the token of one of the people. */
const authorize: Authorize = ({ headers }) =>
  Object.values(PEOPLE).find(
    ({ person }) => headers.get('authorization') === `Bearer ${tokenOf(person.id, key)}`,
  );

const desk: ServedDeskOptions<{ readonly shop: typeof shopAgent }> = {
  store,
  agents: { shop: { agent: shopAgent, deps: () => books } },
  approvers,
  expiresAfter,
  authorize,
  // Browsers come in with a link.
  entrance: signIn({ store, url }),
};

export default desk;
