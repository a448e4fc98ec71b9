/**
 * The contestants; each has a file of the same name in this folder. `store` is the server or file that it
 * writes to, and `limit` the contestant that its figures are divided by. `packages` are those that must be installed.
 * `worker` is the desk with the built-in worker that a desk with an engine is compared with.
 */
export const CONTESTANTS = {
  'limit-postgres': { kind: 'limit', store: 'postgres', limit: 'limit-postgres', packages: [] },
  'limit-sqlite': { kind: 'limit', store: 'sqlite', limit: 'limit-sqlite', packages: [] },
  'desk-postgres': { kind: 'desk', store: 'postgres', limit: 'limit-postgres', packages: [] },
  'desk-sqlite': { kind: 'desk', store: 'sqlite', limit: 'limit-sqlite', packages: [] },
  'desk-restate': {
    kind: 'engine',
    store: 'postgres',
    engine: 'restate',
    limit: 'limit-postgres',
    worker: 'desk-postgres',
    packages: ['@restatedev/restate-sdk', '@restatedev/restate-server'],
  },
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

/** Returns true if a contestant needs the Restate server. */
export function usesRestate(name) {
  const { store, engine } = CONTESTANTS[name];
  return store === 'restate' || engine === 'restate';
}

export function namesOf(kind) {
  return Object.keys(CONTESTANTS).filter((name) => CONTESTANTS[name].kind === kind);
}
