import { postgresMigrator } from '@holdpoint/desk';
import { Pool } from 'pg';

/** Creates or updates the tables of the version that it is executed with. */
const pool = new Pool({ connectionString: process.argv[2], max: 2 });
await postgresMigrator({ pool }).migrate();
await pool.end();
