// Step 4: the same on PostgreSQL.
//
//   DATABASE_URL=postgres://… npx tsx --conditions=holdpoint-source examples/tutorial/4-postgres/main.ts
// #region postgres
import { postgresStore } from '@holdpoint/desk';
import { Pool } from 'pg';
// #endregion
import { checkSupportBot } from '../3-channel/support-bot.ts';

const url = process.env['DATABASE_URL'];
if (!url) throw new Error('Set `DATABASE_URL` to the address of an empty database.');
// #region postgres
const pool = new Pool({ connectionString: url });
const store = await postgresStore({ pool });
// #endregion
await checkSupportBot(store);
await pool.end();
console.log('The same on PostgreSQL.');
