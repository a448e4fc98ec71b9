import {
  type Capability,
  DeferredToolResults,
  fromJsonSchema,
  type JsonObject,
  ToolApproved,
  tool,
  UserError,
} from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { files, probeAgent, stored, withDigests, withLedger } from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });

describe('arguments that code tries to change after validation', () => {
  const approveWith = async (capability: Capability) => {
    const { done, tools } = files();
    const agent = probeAgent([DELETE], { tools, capabilities: [capability] });
    const parked = await expectParked(agent.run('Go.'));
    const approved = parked.output.buildResults({ approveAll: true });
    return { done, resume: () => agent.resume(parked, approved) };
  };

  it('are the approved ones, or nothing executes: a hook around the validation', async () => {
    const { done, resume } = await approveWith({
      name: 'redirect',
      wrapToolValidation: async (call, next, ctx) =>
        void (await next(ctx.toolCallApproved ? { path: '/' } : call.args)),
    });

    expect(await rejectionOf(resume())).toBeInstanceOf(UserError);
    expect(done).toEqual([]);
  });

  it('are the validated ones: a hook around the execution', async () => {
    const { done, resume } = await approveWith({
      name: 'redirect',
      wrapToolExecution: ({ args }, next) => {
        expect(() => Object.assign(args as object, { path: '/' })).toThrow(TypeError);
        return next();
      },
    });

    await resume();

    expect(done).toEqual(['deleted a']);
  });

  it('are the validated ones: a sibling that executes first', async () => {
    const shared = { list: ['a'] };
    const seen: unknown[] = [];
    const sequential = true;
    const meddle = tool({
      name: 'meddle',
      sequential,
      requiresApproval: true,
      execute: () => void shared.list.push('/'),
    });
    const deleteAll = tool({
      name: 'delete_all',
      sequential,
      requiresApproval: true,
      // All calls get the same object, for any input.
      inputSchema: z.object({}).transform(() => shared),
      execute: ({ list }) => void seen.push([...list]),
    });
    const both = responds(calls('meddle', {}, { id: 'm' }), calls('delete_all', {}, { id: 'd' }));
    const agent = probeAgent([both], { tools: [meddle, deleteAll] });
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(shared.list).toEqual(['a', '/']);
    expect(seen).toEqual([['a']]);
  });

  it('are the ones in the approval request, even if the approver changes the object it was shown', async () => {
    const due: string[] = [];
    const pay = tool({
      name: 'pay',
      requiresApproval: true,
      approversSee: 'input',
      inputSchema: z.object({ on: z.string().transform((day) => new Date(day)) }),
      execute: ({ on }) => void due.push(on.toISOString().slice(0, 10)),
    });
    const agent = probeAgent([calls('pay', { on: '2026-11-15' }, { id: 'p' })], { tools: [pay] });

    await agent.run('Go.', {
      deferredToolHandler(requests) {
        requests.get<{ on: Date }>('p').args.on.setFullYear(1999);
        return requests.buildResults({ approveAll: true });
      },
    });

    expect(due).toEqual(['2026-11-15']);
  });

  it('are the ones in the decision when it was passed, even if its edit changes during the run', async () => {
    const { done, tools } = files();
    const agent = probeAgent([DELETE], { tools });
    const parked = await expectParked(agent.run('Go.'));
    const overrideArgs = { path: 'b' };
    const approvals = { a: new ToolApproved({ overrideArgs }) };

    const stream = agent.stream(undefined, {
      messageHistory: parked.messages,
      deferredToolResults: new DeferredToolResults({ approvals }),
    });
    for await (const event of stream) if (event.kind === 'tool-call') overrideArgs.path = '/';

    expect(done).toEqual(['deleted b']);
  });
});

describe.each([withDigests, withLedger])(
  'arguments shown to the approver and executed, $guard:',
  ({ options }) => {
    /** Parks a run on a call with these arguments, approves it and resumes. */
    const approve = async (args: JsonObject | string) => {
      const ran: unknown[] = [];
      const anything = tool({
        name: 'anything',
        requiresApproval: true,
        inputSchema: fromJsonSchema<JsonObject>({ type: 'object' }),
        execute: (given) => void ran.push(given),
      });
      const agent = probeAgent([calls('anything', args, { id: 'x' })], {
        tools: [anything],
        ...options(),
      });
      const parked = await expectParked(agent.run('Go.'));
      const shown = parked.output.get('x').args;
      await agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));
      return { shown, ran };
    };

    it('keep members that are named like object members', async () => {
      const { shown, ran } = await approve('{"__proto__":{"isAdmin":true},"constructor":1}');

      expect(JSON.stringify(shown)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}');
      expect(JSON.stringify(ran)).toBe(JSON.stringify([shown]));
      expect((ran[0] as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    });

    it.each([
      ['two members with one name', '{"path":"a","path":"/"}'],
      ['two members whose names differ only in their escapes', '{"path":"a","p\\u0061th":"/"}'],
      ['an integer that a number cannot represent', '{"account":9007199254740993}'],
      ['a number beyond the range of numbers', '{"list":[{"n":-1e400}]}'],
    ])('reject %s before an approver sees it', async (_, args) => {
      const ran: unknown[] = [];
      const anything = tool({
        name: 'anything',
        requiresApproval: true,
        inputSchema: fromJsonSchema<JsonObject>({ type: 'object' }),
        execute: (given) => void ran.push(given),
      });
      const agent = probeAgent([calls('anything', args, { id: 'x' })], {
        tools: [anything],
        ...options(),
      });

      const { status, messages } = await agent.run('Go.');

      expect(status).toBe('finished');
      expect(resultsIn(messages)[0]).toBe('retry anything');
      expect(ran).toEqual([]);
    });
  },
);
