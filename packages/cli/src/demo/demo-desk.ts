// The desk of the demo, as `holdpoint desk` serves it: an agent that publishes, in a SQLite file.
import { type Authorize, type Desk, openDesk, sqliteStore } from '@holdpoint/desk';
import { DEMO_KEY, DEMO_ROOT, DESK_FILE, tokenOf } from './demo-people.ts';
import { releaseAgent } from './release.ts';
import { Sandbox } from './sandbox.ts';

const sandbox = new Sandbox(process.env[DEMO_ROOT] ?? '');
const key = process.env[DEMO_KEY] ?? '';

/** Lets in whoever has the token of one of them. */
const authorize: Authorize = (request) => {
  const id = ['ada', 'you', 'mallory'].find(
    (name) => request.headers.get('authorization') === `Bearer ${tokenOf(name, key)}`,
  );
  return id === undefined ? undefined : { tenant: 'default', person: { id } };
};

const desk: Desk = openDesk({
  store: await sqliteStore({ path: sandbox.pathOf(DESK_FILE) }),
  agents: { release: { agent: releaseAgent({}), deps: () => sandbox } },
  authorize,
});

export default desk;
