/**
 * The contestants; each has a file of the same name in this folder. `store` is the server or file that it
 * writes to, and `limit` the contestant that its figures are divided by. `packages` are those that must be installed.
 */
export const CONTESTANTS = {
  'limit-postgres': { kind: 'limit', store: 'postgres', limit: 'limit-postgres', packages: [] },
  'limit-sqlite': { kind: 'limit', store: 'sqlite', limit: 'limit-sqlite', packages: [] },
  'desk-postgres': { kind: 'desk', store: 'postgres', limit: 'limit-postgres', packages: [] },
  'desk-sqlite': { kind: 'desk', store: 'sqlite', limit: 'limit-sqlite', packages: [] },
  langgraph: {
    kind: 'peer',
    store: 'postgres',
    limit: 'limit-postgres',
    packages: ['@langchain/langgraph-checkpoint-postgres', '@langchain/langgraph', 'langchain'],
  },
  mastra: {
    kind: 'peer',
    store: 'postgres',
    limit: 'limit-postgres',
    packages: ['@mastra/core', '@mastra/pg'],
  },
  dbos: {
    kind: 'peer',
    store: 'postgres',
    limit: 'limit-postgres',
    packages: ['@dbos-inc/dbos-sdk'],
  },
  restate: {
    kind: 'peer',
    store: 'restate',
    limit: 'limit-postgres',
    packages: ['@restatedev/restate-sdk', '@restatedev/restate-server'],
  },
};

/** The base of all ratios. */
export const LIMIT = 'limit-postgres';

export function namesOf(kind) {
  return Object.keys(CONTESTANTS).filter((name) => CONTESTANTS[name].kind === kind);
}
