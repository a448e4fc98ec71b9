import { Agent, tool } from 'holdpoint';
import { calls, responds, says, type ScriptEntry, scriptedModel } from 'holdpoint/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rejectionOf, settled } from '../../support/latch.ts';

const broken = new Error('The observer is broken.');
const quick = tool({ name: 'quick', execute: () => 'quick' });

const agentOf = (...script: readonly ScriptEntry[]) =>
  new Agent({ model: scriptedModel(...script), tools: [quick] });

describe('an observer that throws', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  let others: NodeJS.UnhandledRejectionListener[] = [];

  beforeEach(() => {
    unhandled.length = 0;
    others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  });
  afterEach(() => {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  });

  const three = () => responds(calls('quick'), calls('quick'), calls('quick'));

  it.each(['tool-call', 'tool-result'])('ends the run with its error, at %s', async (kind) => {
    const onEvent = (event: { kind: string }) => {
      if (event.kind === kind) throw broken;
    };

    const error = await rejectionOf(agentOf(three(), says('Done.')).run('Go.', { onEvent }));
    await settled();

    expect(error).toBe(broken);
    expect(unhandled).toEqual([]);
  });

  it.each(['part-start', 'tool-call', 'tool-result'])(
    'ends the stream with its error, at %s',
    async (kind) => {
      const onEvent = (event: { kind: string }) => {
        if (event.kind === kind) throw broken;
      };
      const stream = agentOf(three(), says('Done.')).stream('Go.', { onEvent });

      const error = await rejectionOf(stream.result);
      await settled();

      expect(error).toBe(broken);
      expect(unhandled).toEqual([]);
    },
  );
});

describe('a stream whose consumer stopped', () => {
  it('does not continue in the background while its model is loading', async () => {
    const ran: string[] = [];
    const work = tool({ name: 'work', execute: () => ran.push('work') });
    const stream = new Agent({ model: 'test', tools: [work] }).stream('Go.');
    const events = stream[Symbol.asyncIterator]();
    const first = events.next();

    await events.return?.();
    await first;
    await settled();

    expect(ran).toEqual([]);
  });
});
