import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { messageCodec } from 'holdpoint';
import { sealedRuns } from 'holdpoint/sealed';
import { dataAgent, SEAL } from './data-agent.ts';

/**
 * Writes everything that a deployment stores: a SQLite file with a parked run, the messages of a parked run, and a sealed
 * run. The upgrade test executes it with the sources of an older version, so it uses only functions that both have.
 */
const [folder = ''] = process.argv.slice(2);
const agent = dataAgent();

const store = await sqliteStore({ path: join(folder, 'desk.db') });
const desk = openDesk({ store, agents: { clerk: { agent } } });
const requester = { id: 'ada' };
const runId = await desk.start('clerk', 'Pay.', { requester, conversationId: 'upgrade' });
await desk.work({ runId });
await desk.close();

const parked = await agent.run('Pay.');
if (parked.status !== 'parked') throw new Error('The run did not park.');
writeFileSync(join(folder, 'messages.json'), messageCodec.stringify(parked.messages));
writeFileSync(join(folder, 'sealed.txt'), await sealedRuns(SEAL).seal(parked));
writeFileSync(join(folder, 'run.txt'), runId);
