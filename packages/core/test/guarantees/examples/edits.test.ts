import {
  type JsonValue,
  MemoryLedger,
  type Message,
  ModelRetry,
  ToolApproved,
  ToolDenied,
  ToolReturn,
} from 'holdpoint';
import { toolCallsOf } from 'holdpoint/messages';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../support/conversation.ts';
import { expectParked } from '../../support/deferral.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { files, probeAgent, stored, unguarded, withDigests, withLedger } from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });
const edit = (path: string) => new ToolApproved({ overrideArgs: { path } });

type Options = Parameters<typeof probeAgent>[1];

async function park(options: Options, deleting: Parameters<typeof files>[0] = {}) {
  const { done, tools } = files(deleting);
  const agent = probeAgent([DELETE], { tools, ...options });
  const parked = await expectParked(agent.run('Go.'));
  /** Resumes the run from its stored messages with this decision. */
  const decide = (given: ToolApproved | ToolDenied | boolean, more = {}) =>
    agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approvals: { a: given } }),
      more,
    );
  return { done, parked, decide };
}

/** The return of the call. */
const returnIn = (messages: readonly Message[]) =>
  partsOf(messages).find((part) => part.kind === 'tool-return');

describe.each([unguarded, withDigests, withLedger])('edited arguments, $guard,', ({ options }) => {
  it('execute; the arguments of the model stay in the history', async () => {
    const { done, decide } = await park(options());

    const { messages } = await decide(edit('b'));
    const kept = stored(messages).messages;

    expect(done).toEqual(['deleted b']);
    expect(returnIn(kept)).toMatchObject({
      content: 'b is gone',
      metadata: { holdpoint: { executedArgs: { path: 'b' } } },
    });
    expect(
      kept.flatMap((message) => (message.kind === 'response' ? toolCallsOf(message) : [])),
    ).toMatchObject([{ args: '{"path":"a"}' }]);
  });

  it('are validated again by the schema; invalid ones go back to the model', async () => {
    const { done, decide } = await park(options());

    const { messages } = await decide(new ToolApproved({ overrideArgs: { path: 7 } }));

    expect(resultsIn(messages)).toEqual(['retry delete_file']);
    expect(done).toEqual([]);
  });

  it('are validated again by the validator of the tool', async () => {
    const { done, decide } = await park(options(), {
      argsValidator({ path }) {
        if (path === '/') throw new ModelRetry('Not the root.');
      },
    });

    const { messages } = await decide(edit('/'));

    expect(resultsIn(messages)).toEqual(['retry delete_file']);
    expect(done).toEqual([]);
  });

  it('are approved by the same decision, without another request', async () => {
    const { done, decide } = await park(options(), {
      requiresApproval: ({ path }) => path !== '',
    });

    const { status } = await decide(edit('b'));

    expect(status).toBe('finished');
    expect(done).toEqual(['deleted b']);
  });
});

describe('report of edited arguments to the model', () => {
  it('is absent by default', async () => {
    const { decide } = await park({});

    const { messages } = await decide(edit('b'));

    expect(partsOf(messages).filter((part) => part.kind === 'user-prompt')).toHaveLength(1);
  });

  it('contains the arguments that executed', async () => {
    const { decide } = await park({ reportEditedArgs: true });

    const { messages } = await decide(edit('b'));

    expect(partsOf(messages).slice(-2)).toMatchObject([
      { kind: 'user-prompt', content: [expect.stringMatching(/edited arguments.*"path":"b"/)] },
      { kind: 'text' },
    ]);
  });

  it('omits calls that executed as they were sent', async () => {
    const { decide } = await park({ reportEditedArgs: true });

    const { messages } = await decide(true);

    expect(returnIn(messages)).not.toHaveProperty('metadata');
    expect(partsOf(messages).filter((part) => part.kind === 'user-prompt')).toHaveLength(1);
  });

  it('precedes the content that the tool shows the model', async () => {
    const execute = () => new ToolReturn({ returnValue: 'ok', content: 'Look at this.' });
    const { decide } = await park({ reportEditedArgs: true }, { execute });

    const { messages } = await decide(edit('b'));

    expect(partsOf(messages).at(-2)).toMatchObject({
      content: [expect.stringMatching(/edited arguments/), 'Look at this.'],
    });
  });
});

describe('executedArgs', () => {
  it.each<[string, JsonValue, object]>([
    ['an object', { rows: 3 }, { rows: 3 }],
    ['a list', [1], { value: [1] }],
  ])('are stored with the metadata of the tool: %s', async (_, metadata, kept) => {
    const execute = () => new ToolReturn({ returnValue: 'ok', metadata });
    const { decide } = await park({}, { execute });

    const { messages } = await decide(edit('b'));

    expect(returnIn(messages)).toMatchObject({
      metadata: { ...kept, holdpoint: { executedArgs: { path: 'b' } } },
    });
  });

  it('are the ones that executed, also for a second resume with another edit', async () => {
    const { done, decide } = await park({
      durability: { ledger: new MemoryLedger() },
      reportEditedArgs: true,
    });
    await decide(edit('b'));

    for (const other of [edit('c'), true]) {
      const { messages } = await decide(other, { durability: { onAlreadyResumed: 'replay' } });
      expect(returnIn(messages)).toMatchObject({
        content: 'b is gone',
        metadata: { holdpoint: { executedArgs: { path: 'b' } } },
      });
    }
    expect(done).toEqual(['deleted b']);
  });

  it('are absent for a denied call, also if a second resume edits it', async () => {
    const { done, decide } = await park({ durability: { ledger: new MemoryLedger() } });
    await decide(new ToolDenied('No.'));

    const { messages } = await decide(edit('c'), { durability: { onAlreadyResumed: 'replay' } });

    expect(returnIn(messages)).toMatchObject({ content: 'No.', outcome: 'denied' });
    expect(returnIn(messages)).not.toHaveProperty('metadata');
    expect(done).toEqual([]);
  });
});
