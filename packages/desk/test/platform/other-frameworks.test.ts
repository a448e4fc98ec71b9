import { describe, expect, it } from 'vitest';
import { repository, runNode } from '../../../core/test/support/run-program.ts';
import { PostgresServer } from './support/postgres-server.ts';

describe('a graph of LangGraph with its checkpoints in PostgreSQL', () => {
  it('executes its approved call once, although its process is killed and two others resume it', async () => {
    await using database = await PostgresServer.start();

    const printed = await runNode(
      ['--conditions=holdpoint-source', 'examples/requests/langgraph/main.ts'],
      { cwd: repository, env: { DATABASE_URL: await database.newDatabase() } },
    );

    expect(printed).toContain('The graph executed its call once.');
  });
});
