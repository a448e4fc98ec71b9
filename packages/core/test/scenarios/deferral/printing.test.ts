import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  DeferredToolResults,
  requestsCodec,
  tool,
  ToolApproved,
  ToolDenied,
} from 'holdpoint';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';

const write = tool({
  name: 'write_file',
  inputSchema: z.object({ path: z.string(), options: z.object({ tags: z.string().array() }) }),
  requiresApproval: true,
  preview: ({ path }) => `Writes ${path}`,
  execute: () => 'written',
});
const move = tool({
  name: 'move_file',
  inputSchema: z.object({ to: z.string() }),
  execute() {
    throw new ApprovalRequired({ reason: 'protected' });
  },
});

function parkedRun() {
  const args = { path: '.env', options: { tags: ['a', 'b'] } };
  const model = scriptedModel(
    responds(
      calls('write_file', JSON.stringify(args), { id: 'c1' }),
      calls('move_file', { to: 'b' }, { id: 'c2' }),
    ),
    'Done.',
  );
  const output = [String, DeferredToolRequests] as const;
  return expectParked(new Agent({ model, tools: [write, move], output }).run('Go.'));
}

describe('printing deferred requests', () => {
  it('shows the name, the arguments and the preview of each call', async () => {
    const { output } = await parkedRun();

    expect(inspect(output)).toBe(`DeferredToolRequests {
  approvals: [
    PendingCall {
      kind: 'approval',
      toolName: 'move_file',
      args: { to: 'b' },
      key: 'c2',
      metadata: { reason: 'protected' }
    },
    PendingCall {
      kind: 'approval',
      toolName: 'write_file',
      args: { path: '.env', options: { tags: [ 'a', 'b' ] } },
      key: 'c1',
      preview: 'Writes .env'
    }
  ],
  calls: []
}`);
  });

  it('shows the same in the result of a parked run', async () => {
    const printed = inspect(await parkedRun());

    expect(printed).toContain('ParkedResult {');
    expect(printed).toContain("args: { path: '.env', options: { tags: [ 'a', 'b' ] } }");
  });

  it('shows requests that were read from JSON, and arguments that cannot be parsed as they are', async () => {
    const { output } = await parkedRun();
    const broken = new DeferredToolRequests({
      calls: [{ kind: 'tool-call', toolName: 'look', toolCallId: 'c3', args: '{"at":' }],
    });

    expect(inspect(requestsCodec.parse(requestsCodec.stringify(output)))).toContain(
      "args: { path: '.env'",
    );
    expect(inspect(broken)).toContain(`args: '{"at":'`);
  });

  it('respects the options of the printer', async () => {
    const { output } = await parkedRun();

    expect(inspect(output, { compact: false })).toContain("path: '.env',\n");
    expect(inspect(output, { colors: true })).toContain('\u001B[');
  });
});

describe('printing deferred results', () => {
  it('shows decisions with edited arguments, and no empty records', () => {
    const results = new DeferredToolResults({
      approvals: {
        c1: new ToolApproved({ overrideArgs: { path: 'b', options: { tags: ['x'] } } }),
        c2: new ToolDenied('Not that one.'),
      },
      calls: { c3: { degrees: { celsius: 21 } } },
    });

    const printed = inspect(results);

    expect(printed).toMatch(/^DeferredToolResults \{\n {2}approvals: \{/);
    expect(printed).toContain("overrideArgs: { path: 'b', options: { tags: [ 'x' ] } }");
    expect(printed).toContain("message: 'Not that one.'");
    expect(printed).toContain('c3: { degrees: { celsius: 21 } }');
    expect(printed).not.toContain('prototype');
    expect(printed).not.toContain('digests');
  });
});
