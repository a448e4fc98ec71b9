import { type DeskEvent, sqliteStore, openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, type RunContext, tool } from 'holdpoint';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const store = await sqliteStore();
const output = [String, DeferredToolRequests] as const;

interface Shop {
  readonly name: string;
}

const needsShop = tool({ name: 'a', execute: (_args, ctx: RunContext<Shop>) => ctx.deps.name });
const pay = tool({ requiresApproval: true, execute: () => 'paid' });
const plain = new Agent({ model: 'openai:gpt-5', output });
const withDeps = new Agent({ model: 'openai:gpt-5', tools: [needsShop], output });
const textOnly = new Agent({ model: 'openai:gpt-5' });

// Deps are required if the agent needs them, and have its type.
const desk = openDesk({
  store,
  agents: {
    plain: { agent: plain },
    shop: {
      agent: withDeps,
      deps: (run) => {
        expectTypeOf(run.runId).toEqualTypeOf<string>();
        return { name: run.tenant };
      },
    },
  },
});
openDesk({ store, agents: { shop: { agent: withDeps, deps: async () => ({ name: '' }) } } });
// @ts-expect-error deps are missing
openDesk({ store, agents: { shop: { agent: withDeps } } });
// @ts-expect-error deps are of another type
openDesk({ store, agents: { shop: { agent: withDeps, deps: () => ({ name: 1 }) } } });
// Every agent of a desk may park.
openDesk({ store, agents: { one: { agent: textOnly } } });

// The names of agents are known.
void desk.start('plain', 'Hello');
// @ts-expect-error there is no such agent
void desk.start('other', 'Hello');
expectTypeOf(desk.agents).toEqualTypeOf<readonly ('plain' | 'shop')[]>();

// The types contain the tool names if the agent has no toolsets.
const cashier = new Agent({ model: 'openai:gpt-5', tools: { pay }, output });
const cashiers = { cashier: { agent: cashier } };
openDesk({ store, agents: cashiers, approvers: { pay: { count: 2 }, default: {} } });
openDesk({ store, agents: cashiers, approvers: { count: 2 } });
openDesk({ store, agents: cashiers, approvers: ({ toolName }) => ({ roles: [toolName] }) });
// @ts-expect-error no agent has a tool of this name
openDesk({ store, agents: cashiers, approvers: { pya: { count: 2 } } });
openDesk({
  store,
  agents: cashiers,
  dynamicTools: ['refund'],
  approvers: { pay: {}, refund: { count: 2 } },
});
// @ts-expect-error no agent has a tool of this name
openDesk({ store, agents: cashiers, dynamicTools: ['refund'], approvers: { refnd: {} } });
// A tool in a list has its own name.
openDesk({
  store,
  agents: { shop: { agent: textOnly } },
  dynamicTools: ['a'],
  approvers: { a: {} },
});
const shops = { shop: { agent: withDeps, deps: () => ({ name: '' }) } };
openDesk({ store, agents: shops, approvers: { a: { count: 2 } } });
// @ts-expect-error no agent has a tool of this name
openDesk({ store, agents: shops, approvers: { aa: { count: 2 } } });
// Other names are checked when the desk is opened.
openDesk({ store, agents: { plain: { agent: plain } }, dynamicTools: ['a'], approvers: { a: {} } });

// The agent of a run determines the type of its output.
const weather = new Agent({
  model: 'openai:gpt-5',
  output: [z.object({ degrees: z.number(), at: z.date() }), DeferredToolRequests],
});
const typed = openDesk({ store, agents: { weather: { agent: weather }, plain: { agent: plain } } });
const run = await typed.waitFor('id', { timeoutMs: 1_000 });
if (run.agent === 'weather' && run.output !== undefined) {
  expectTypeOf(run.output.degrees).toEqualTypeOf<number>();
  expectTypeOf(run.output.at).toExtend<string>();
}
if (run.agent === 'plain') expectTypeOf(run.output).toExtend<string | undefined>();
// @ts-expect-error there is no such agent
void (run.agent === 'other');

// Decisions have members by their kinds.
const by = { by: { id: 'ada' }, digest: '' };
void desk.decide('id', { kind: 'approve', args: { a: 1 }, reason: 'Fine.' }, by);
void desk.decide('id', { kind: 'deny', reason: 'No.' }, by);
// @ts-expect-error an edit is an approval with arguments
void desk.decide('id', { kind: 'edit', args: {} }, by);
// @ts-expect-error the approver is missing
void desk.decide('id', { kind: 'approve' }, { digest: '' });

// Events have members by their kinds.
declare const event: DeskEvent;
expectTypeOf(event.runId).toEqualTypeOf<string>();
expectTypeOf(event.url).toEqualTypeOf<string | undefined>();
if (event.kind === 'hold-opened') expectTypeOf(event.holdId).toEqualTypeOf<string>();
if (event.kind === 'run-started') expectTypeOf(event.agent).toEqualTypeOf<string>();
// @ts-expect-error not every event is about a hold
void event.holdId;
