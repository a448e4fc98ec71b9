import { type RunContext, tool } from 'holdpoint';

/** What some tools need of the application. */
export interface Database {
  readonly db: string;
}

/** What others need. */
export interface Clock {
  readonly clock: number;
}

/** A tool that needs the database. */
export const withDatabase = tool({
  name: 'with_database',
  execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
});
