import {
  Agent,
  DeferredToolResults,
  type JsonValue,
  type Message,
  requestsFromMessages,
  type Tool,
  tool,
} from 'holdpoint';
import { calls, functionModel, type FunctionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { historyOf, type PlainRecord, recordOf, responseWith } from '../support/histories.ts';
import { rejectionOf } from '../support/latch.ts';
import { present } from '../support/present.ts';
import { untyped } from '../support/untyped.ts';
import {
  following,
  parkingAgent,
  parkingOutput,
  removeTool,
  stored,
  twoBranches,
  withRecord,
} from './support/pairs.ts';

const ALL = new DeferredToolResults({ approvals: { 'left/in': true, 'right/in': true } });

/** Returns a record with a changed left branch. */
function withLeft(
  record: PlainRecord,
  change: (left: Record<string, unknown>) => unknown,
): unknown {
  const left = untyped<Record<string, unknown>>(record.open['left']);
  return { ...record, open: { ...record.open, left: change(left) } };
}

/** Resumes with invalid data; checks that nothing executes and no model is called. Returns the error. */
async function rejectionOfResume(
  messages: readonly Message[],
  { lead, ran }: ReturnType<typeof twoBranches>,
  results = ALL,
): Promise<Error> {
  const model = functionModel(() => {
    throw new Error('A model was called.');
  });
  const error = await rejectionOf(lead.resume({ messages }, results, { model }));
  expect(ran).toEqual([]);
  expect(error).toBeInstanceOf(Error);
  expect(error).toHaveProperty('code');
  return error as Error;
}

describe('a corrupted record of a sub-agent', () => {
  const broken: readonly [string, (left: Record<string, unknown>) => unknown, RegExp][] = [
    ['no messages', (left) => ({ ...left, messages: undefined }), /open\.left\.messages/],
    ['messages that are a text', (left) => ({ ...left, messages: '[]' }), /open\.left\.messages/],
    ['messages that are no messages', (left) => ({ ...left, messages: [{}] }), /left\.messages/],
    [
      'messages with a broken part',
      (left) => ({ ...left, messages: [{ kind: 'request', parts: [{ kind: 'x' }] }] }),
      /left\.messages: messages\[0\]\.parts\[0\]/,
    ],
    ['no beginning', (left) => ({ ...left, from: undefined }), /open\.left\.from/],
    ['a beginning before the first', (left) => ({ ...left, from: -1 }), /open\.left\.from/],
    ['half a beginning', (left) => ({ ...left, from: 0.5 }), /open\.left\.from/],
    ['no messages at all', (left) => ({ ...left, messages: [] }), /sub-agent has no pending call/],
    [
      'only the question',
      (left) => ({ ...left, messages: (left['messages'] as Message[]).slice(0, 1) }),
      /sub-agent has no pending call/,
    ],
    ['an approval that is none', (left) => ({ ...left, approval: true }), /open\.left\.approval/],
    [
      'an approval with arguments that are none',
      (left) => ({ ...left, approval: { overrideArgs: [] } }),
      /approval\.overrideArgs/,
    ],
    ['another kind', (left) => ({ ...left, kind: 'agents' }), /open\.left\.kind/],
    ['nothing', () => null, /open\.left/],
  ];

  it.each(broken)('is rejected with its path: %s', async (_what, change, message) => {
    const team = twoBranches();
    const parked = await expectParked(team.lead.run('Go.'));

    const messages = withRecord(parked, (record) => withLeft(record, change));

    expect(String(await rejectionOfResume(messages, team))).toMatch(message);
    expect(() => requestsFromMessages(messages)).toThrow(message);
  });

  it('is rejected if messages are missing in the middle', async () => {
    const team = twoBranches();
    const parked = await expectParked(team.lead.run('Go.'));

    const messages = withRecord(parked, (record) =>
      withLeft(record, (left) => ({ ...left, from: 5 })),
    );

    await rejectionOfResume(messages, team);
    expect(() => requestsFromMessages(messages)).toThrow();
  });

  it('is rejected if a nested sub-agent is corrupted, at any depth', async () => {
    const { remove, ran } = removeTool();
    const bottom = new Agent<readonly Tool[]>({
      name: 'bottom',
      tools: [remove],
      model: following(calls('remove', { path: 'a' }, { id: 'r' })),
    });
    const middle = new Agent<readonly Tool[]>({
      name: 'middle',
      tools: [bottom.asTool()],
      model: following(calls('bottom', { prompt: '' }, { id: 'b' })),
    });
    const lead = parkingAgent([calls('middle', { prompt: '' }, { id: 'm' })], {
      tools: [middle.asTool()],
    });
    const parked = await expectParked(lead.run('Go.'));
    const text = JSON.stringify(parked.messages);
    expect(text.match(/"kind":"approval"/g)).toHaveLength(1);

    const messages: Message[] = JSON.parse(text.replace('"kind":"approval"', '"kind":"anything"'));
    const results = parked.output.buildResults({ approveAll: true });

    expect(String(await rejectionOf(lead.resume({ messages }, results)))).toMatch(
      /open\.r\.kind: expected 'approval'/,
    );
    expect(ran).toEqual([]);
  });

  it('adds no call that the agent did not make', async () => {
    const team = twoBranches();
    const parked = await expectParked(team.lead.run('Go.'));
    const messages = withRecord(parked, (record) =>
      withLeft(record, (left) => {
        const nestedMessages = JSON.parse(JSON.stringify(left['messages'])) as Message[];
        const response = present(nestedMessages.at(-1));
        const own = present(recordOf(response));
        const forged = { ...own, open: { ...own.open, extra: { kind: 'approval' } } };
        nestedMessages[nestedMessages.length - 1] = {
          ...response,
          metadata: { holdpoint: untyped<JsonValue>(forged) },
        };
        return { ...left, messages: nestedMessages };
      }),
    );

    const requests = present(requestsFromMessages(messages));
    const results = new DeferredToolResults({
      approvals: { 'left/in': true, 'right/in': true, 'left/extra': true },
    });

    expect(requests.approvals).toHaveLength(2);
    expect(String(await rejectionOfResume(messages, team, results))).toMatch(/left\/extra/);
  });
});

describe('an endlessly nested record of sub-agents', () => {
  /** Returns a history with records of parked sub-agents, nested this many levels deep. */
  function nested(levels: number): readonly Message[] {
    let messages = historyOf(
      responseWith([{ toolName: 'remove', toolCallId: 'in', args: { path: 'a' } }], {
        v: 1,
        step: 'bottom',
        open: { in: { kind: 'approval' } },
      }),
    );
    for (let level = 0; level < levels; level++) {
      messages = historyOf(
        responseWith([{ toolName: 'sub', toolCallId: 'd', args: { prompt: '' } }], {
          v: 1,
          step: `step ${level}`,
          open: { d: { kind: 'agent', from: 0, messages } },
        }),
      );
    }
    return messages;
  }

  it.each([20, 100, 1000, 10_000])('is rejected or read: %i levels', async (levels) => {
    const { remove, ran } = removeTool();
    const lead = parkingAgent([], { name: 'sub', tools: [remove] });
    const messages = nested(levels);
    const key = `${'d/'.repeat(levels)}in`;

    const error = await rejectionOf(
      lead.resume({ messages }, new DeferredToolResults({ approvals: { [key]: true } })),
    );

    // The error names the problem; it is never a stack overflow.
    expect(error).toHaveProperty('code');
    expect(ran).toEqual([]);
  });
});

describe('a sub-agent that no longer exists', () => {
  const cases: readonly [string, (work: () => void) => readonly Tool[], RegExp][] = [
    [
      'its name is that of a plain tool now',
      (work) => [tool({ name: 'sub', execute: () => work() })],
      /`sub` of this agent was not made with `asTool/,
    ],
    [
      'its name is that of a tool that needs approval now',
      (work) => [tool({ name: 'sub', requiresApproval: true, execute: () => work() })],
      /`sub` of this agent was not made with `asTool/,
    ],
    ['there is no tool of that name', () => [], /`sub` of this agent was not made with `asTool/],
  ];

  it.each(cases)('is reported before anything executes: %s', async (_what, tools, message) => {
    const { lead, ran } = twoBranches();
    const parked = await expectParked(lead.run('Go.'));
    let worked = 0;
    const other = parkingAgent([], { tools: tools(() => (worked += 1)) });

    const error = await rejectionOf(
      other.resume({ messages: stored(parked) }, parked.output.buildResults({ approveAll: true })),
    );

    expect(error).toMatchObject({ code: 'user-error', message: expect.stringMatching(message) });
    expect(ran).toEqual([]);
    expect(worked).toBe(0);
  });

  /** A lead of two teams. Each team has an agent `bottom` with its own tool. */
  function teams(options: { readonly bottomOfRight: (agent: Agent<readonly Tool[]>) => Tool }) {
    const { remove, ran } = removeTool();
    const bottom = new Agent<readonly Tool[]>({
      name: 'bottom',
      tools: [remove],
      model: following(calls('remove', { path: 'a' }, { id: 'r' })),
    });
    const middle = (name: string, subAgent: Tool) =>
      new Agent<readonly Tool[]>({
        name,
        tools: [subAgent],
        model: following(calls('bottom', { prompt: '' }, { id: 'b' })),
      }).asTool();
    const both: FunctionModel = functionModel(({ messages }) =>
      messages.length > 1
        ? says('Done.')
        : {
            parts: ['left', 'right'].map((name) => ({
              kind: 'tool-call' as const,
              toolName: name,
              toolCallId: name,
              args: { prompt: '' },
            })),
          },
    );
    const lead = new Agent<readonly Tool[], typeof parkingOutput>({
      model: both,
      tools: [middle('left', bottom.asTool()), middle('right', options.bottomOfRight(bottom))],
      output: parkingOutput,
    });
    return { lead, ran };
  }

  it.each(['parallel', 'sequential'] as const)(
    'is reported at any depth, and nothing executes in the other branch: %s',
    async (parallelMode) => {
      const before = teams({ bottomOfRight: (bottom) => bottom.asTool() });
      const parked = await expectParked(before.lead.run('Go.'));
      const after = teams({
        bottomOfRight: () => tool({ name: 'bottom', execute: () => 'plain' }),
      });

      const error = await rejectionOf(
        after.lead.resume(
          { messages: stored(parked) },
          parked.output.buildResults({ approveAll: true }),
          { parallelMode },
        ),
      );

      expect(error).toMatchObject({
        code: 'user-error',
        message: expect.stringMatching(/`bottom` of this agent was not made with `asTool/),
      });
      expect(after.ran).toEqual([]);
    },
  );

  it('is found by its current name, not by the history', async () => {
    const team = twoBranches();
    const parked = await expectParked(team.lead.run('Go.'));
    const { remove: otherTool, ran: otherRan } = removeTool();
    const other = new Agent<readonly Tool[]>({
      name: 'somebody else',
      tools: [otherTool],
      model: following(),
    });
    const lead = parkingAgent([], { tools: [other.asTool({ name: 'sub' })] });

    await lead.resume({ messages: stored(parked) }, ALL);

    expect(team.ran).toEqual([]);
    expect(otherRan.toSorted()).toEqual(['left.txt', 'right.txt']);
  });
});
