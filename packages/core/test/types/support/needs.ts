import { type RunContext, tool } from 'holdpoint';

/** Dependencies of a group of tools. */
export interface Database {
  readonly db: string;
}

/** Dependencies of another group of tools. */
export interface Clock {
  readonly clock: number;
}

/** A tool that needs the database. */
export const withDatabase = tool({
  name: 'with_database',
  execute: (_args, ctx: RunContext<Database>) => ctx.deps.db,
});
