// A worker that executes a run of many steps until it is killed: node counter.ts <connection string>
import { openDesk, postgresStore } from '@holdpoint/desk';
import { Pool } from 'pg';
import { counterAgent } from '../support/counter-agent.ts';

const store = await postgresStore({ pool: new Pool({ connectionString: process.argv[2] }) });
const desk = openDesk({ store, agents: { counter: { agent: counterAgent() } }, lease: 1_000 });
// Ends with the test.
process.stdin.once('end', () => process.exit()).resume();
await desk.startWorker({ pollMs: 50 });
