import { memoryStore, openDesk, sqliteStore } from '@holdpoint/desk';

/** A program in a Node.js without `node:sqlite`: only `sqliteStore` needs it. */
const desk = openDesk({ store: memoryStore(), agents: {} });
const refused = await sqliteStore({ path: ':memory:' }).catch((error: Error) => error.message);
console.log(JSON.stringify({ runs: await desk.runs(), refused }));
