import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type DeferredToolRequests,
  type DeferredToolResults,
  messageCodec,
  requestsCodec,
  requestsFromMessages,
  resultsCodec,
  ToolDenied,
} from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { idsOf } from '../support/histories.ts';
import { repository, runNode } from '../support/run-program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PROGRAM = fileURLToPath(new URL('./support/team-process.ts', import.meta.url));

interface Printed {
  readonly status: 'finished' | 'parked';
  readonly output: string | null;
  readonly pid: number;
}

/** A run with each round in a separate process. Its state is in a folder. */
function runIn(folder: string) {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  let round = 0;
  return {
    /** Starts the run, or resumes it with results. */
    async startOrResume(results?: DeferredToolResults): Promise<Printed> {
      if (results) writeFileSync(join(folder, 'results.json'), resultsCodec.stringify(results));
      const printed = await runNode(
        ['--conditions=holdpoint-source', PROGRAM, folder, String(++round)],
        { cwd: repository },
      );
      return JSON.parse(printed);
    },
    requests: (): DeferredToolRequests => requestsCodec.parse(read('requests.json')),
    requestsOfMessages: () => requestsFromMessages(messageCodec.parse(read('messages.json'))),
    effects: () => read('effects.txt').trim().split('\n').toSorted(),
  };
}

describe('agents three levels deep in two branches', { timeout: 60_000 }, () => {
  it('park together and resume in other processes, in two rounds, with one branch denied', async () => {
    await using folder = await tempFolder('nested');
    const run = runIn(folder.path);

    const first = await run.startOrResume();
    expect(first.status).toBe('parked');
    const requests = run.requests();
    expect(idsOf(requests.approvals)).toEqual(['left/w/r', 'right/w/r', 'own']);
    expect(run.requestsOfMessages()).toEqual(requests);
    expect(requests.get('right/w/r').path).toEqual([
      { toolName: 'manager', toolCallId: 'right' },
      { toolName: 'worker', toolCallId: 'w' },
    ]);
    expect(requests.get('right/w/r').args).toEqual({ path: 'right.txt' });

    const second = await run.startOrResume(
      requests.buildResults({
        approvals: { 'right/w/r': new ToolDenied('Not that one.') },
        approveAll: true,
      }),
    );
    expect(second.status).toBe('parked');
    const later = run.requests();
    expect(idsOf(later.approvals)).toEqual(['left/w/m']);
    expect(later.metadata['left/w/m']).toEqual({ to: 'archive/left.txt' });
    expect(run.requestsOfMessages()).toEqual(later);
    expect(run.effects()).toEqual(['2: published', '2: removed left.txt']);

    const third = await run.startOrResume(later.buildResults({ approveAll: true }));
    expect(third).toMatchObject({
      status: 'finished',
      output: 'left.txt was removed and moved; published; right.txt stays: Not that one.',
    });
    expect(run.effects()).toEqual(['2: published', '2: removed left.txt', '3: moved left.txt']);
    expect(new Set([first.pid, second.pid, third.pid, process.pid]).size).toBe(4);
  });
});
