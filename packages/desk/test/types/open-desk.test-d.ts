import { memoryStore, openDesk } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, type RunContext, tool } from 'holdpoint';
import { expectTypeOf } from 'vitest';

const store = memoryStore();
const output = [String, DeferredToolRequests] as const;

interface Shop {
  readonly name: string;
}

const needsShop = tool({ name: 'a', execute: (_args, ctx: RunContext<Shop>) => ctx.deps.name });
const plain = new Agent({ model: 'openai:gpt-5', output });
const withDeps = new Agent({ model: 'openai:gpt-5', tools: [needsShop], output });
const cannotPark = new Agent({ model: 'openai:gpt-5' });

// Deps are needed exactly where the agent needs some, and have its type.
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
// @ts-expect-error the agent cannot park
openDesk({ store, agents: { one: { agent: cannotPark } } });

// The names of agents are known.
void desk.start('plain', 'Hello');
// @ts-expect-error there is no such agent
void desk.start('other', 'Hello');

// Answers say what they are.
const by = { by: { id: 'ada' }, digest: '' };
void desk.answer('id', { kind: 'edit', args: { a: 1 } }, by);
// @ts-expect-error an edit has arguments
void desk.answer('id', { kind: 'edit' }, by);
// @ts-expect-error somebody has to answer
void desk.answer('id', { kind: 'approve' }, { digest: '' });
