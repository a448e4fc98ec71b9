import { postgresStore, sqliteStore } from '@holdpoint/desk';

/** A program on a Node.js without `node:sqlite`: only `sqliteStore` needs the module. */
const error = await sqliteStore().catch(({ message }: Error) => message);
console.log(JSON.stringify({ postgresStore: typeof postgresStore, error }));
