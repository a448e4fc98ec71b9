import { readFileSync } from 'node:fs';
import {
  Agent,
  type AgentOptions,
  ApprovalRequired,
  type Capability,
  DeferredToolRequests,
  type DeferredToolResults,
  ExternalToolset,
  InputRequired,
  MemoryLedger,
  type Message,
  messageCodec,
  ModelRetry,
  type Tool,
  tool,
} from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { following } from '../support/sub-agents.ts';

/** The decision of the gate. `settle` returns the outcome that the ledger has; `error` fails the run. */
type Decision = 'permit' | 'defer' | 'reject' | 'settle' | 'error';

const OUTPUT = [String, DeferredToolRequests] as const;

type Options = Omit<
  AgentOptions<readonly Tool[], typeof OUTPUT, unknown, PlainToolsets>,
  'model' | 'output'
>;

type PayOptions = Partial<Omit<Parameters<typeof tool>[0], 'name'>>;

const PAY = calls('pay', { euros: 5 }, { id: 'call' });

/** An agent with the tool `pay`, in one deployment of an application. Its tools count their executions. */
class Deployment {
  executions = 0;
  readonly #agent: Agent<readonly Tool[], typeof OUTPUT>;

  constructor(pay: PayOptions = {}, options: Options = {}, call = PAY) {
    this.#agent = new Agent<readonly Tool[], typeof OUTPUT>({
      model: following(call),
      output: OUTPUT,
      tools: [this.pay(pay)],
      ...options,
    });
  }

  /** Returns a tool that counts its executions here. */
  pay(options: PayOptions = {}): Tool {
    return tool({
      name: 'pay',
      inputSchema: z.object({ euros: z.number() }),
      execute: () => {
        this.executions += 1;
        return `payment ${this.executions}`;
      },
      ...options,
    } as Parameters<typeof tool>[0]) as Tool;
  }

  run() {
    return this.#agent.run('Pay.');
  }

  resume(messages: readonly Message[], results: DeferredToolResults) {
    return this.#agent.resume({ messages }, results, {
      durability: { onAlreadyResumed: 'replay' },
    });
  }

  /** Returns what the gate decides about the call of a new run. `error`: the message of an expected error. */
  decision(error?: RegExp): Promise<Decision> {
    return this.#observe(() => this.run(), error);
  }

  /** Returns what the gate decides about a call that was approved in another deployment. */
  decisionAfter(parked: Parked, error?: RegExp): Promise<Decision> {
    return this.#observe(() => this.resume(parked.messages, parked.approve()), error);
  }

  async #observe(
    start: () => ReturnType<Deployment['run']>,
    expected: RegExp | undefined,
  ): Promise<Decision> {
    const before = this.executions;
    try {
      const { output, messages } = await start();
      if (this.executions > before) return 'permit';
      if (output instanceof DeferredToolRequests) return 'defer';
      return JSON.stringify(messages).includes('payment 1') ? 'settle' : 'reject';
    } catch (error) {
      if (expected?.test((error as Error).message)) return 'error';
      throw error;
    }
  }
}

interface Parked {
  readonly messages: readonly Message[];
  approve(): DeferredToolResults;
  respond(value: string): DeferredToolResults;
}

/** Runs an agent until it parks, and stores the run. */
async function park(deployment: Deployment): Promise<Parked> {
  const { output, messages } = await deployment.run();
  if (!(output instanceof DeferredToolRequests)) throw new Error('The run has not parked.');
  return {
    messages: messageCodec.parse(messageCodec.stringify(messages)),
    approve: () => output.buildResults({ approveAll: true }),
    respond: (value) => output.buildResults([...output].map((call) => call.respond(value))),
  };
}

const ASKS: PayOptions = { requiresApproval: true };
const never = () => {
  throw new Error('The card terminal is offline.');
};

/** Every condition of the gate, in the order of the code, with its decision and a call that meets it. */
const CONDITIONS: readonly [
  condition: string,
  decision: Decision,
  observe: () => Promise<Decision>,
][] = [
  [
    'The step has no tool of that name.',
    'reject',
    () => new Deployment({}, {}, calls('refund', {})).decision(),
  ],
  ['The tool is hidden.', 'reject', () => new Deployment({ deferLoading: true }).decision()],
  [
    'The arguments are not a JSON object.',
    'reject',
    () => new Deployment({}, {}, calls('pay', '[5]')).decision(),
  ],
  [
    'The schema rejects the arguments.',
    'reject',
    () => new Deployment({}, {}, calls('pay', { euros: 'five' })).decision(),
  ],
  [
    'The `argsValidator` throws `ModelRetry` or `ToolFailed`.',
    'reject',
    () => {
      const argsValidator = () => {
        throw new ModelRetry('Pay less.');
      };
      return new Deployment({ argsValidator }).decision();
    },
  ],
  [
    'The `argsValidator` throws another error.',
    'error',
    () => new Deployment({ argsValidator: never }).decision(/offline/),
  ],
  [
    'A validation hook does not continue.',
    'reject',
    () => {
      const capability: Capability = { name: 'blocking', async wrapToolValidation() {} };
      return new Deployment({}, { capabilities: [capability] }).decision();
    },
  ],
  [
    'A validation hook changes the arguments of an approved call.',
    'error',
    async () => {
      const parked = await park(new Deployment(ASKS));
      const capability: Capability = {
        name: 'changing',
        async wrapToolValidation(_call, next) {
          await next({ euros: 500 });
        },
      };
      const changing = new Deployment(ASKS, { capabilities: [capability] });
      return changing.decisionAfter(parked, /changes the arguments/);
    },
  ],
  [
    'The call resumes a parked sub-agent.',
    'permit',
    async () => {
      const inner = new Deployment();
      const cashier = new Agent({
        name: 'cashier',
        model: following(PAY),
        tools: [inner.pay(ASKS)],
      });
      const lead = () =>
        new Deployment(
          {},
          { tools: [cashier.asTool() as Tool] },
          calls('cashier', { prompt: 'Pay.' }, { id: 'delegated' }),
        );
      const parked = await park(lead());
      await lead().resume(parked.messages, parked.approve());
      return inner.executions === 1 ? 'permit' : 'defer';
    },
  ],
  [
    'The tool is external, and the call has no result.',
    'defer',
    () => new Deployment({}, { tools: [], toolsets: [EXTERNAL] }).decision(),
  ],
  [
    'The tool is external, and the call was approved.',
    'error',
    async () => {
      const parked = await park(new Deployment(ASKS));
      return new Deployment({}, { tools: [], toolsets: [EXTERNAL] }).decisionAfter(
        parked,
        /is external, so its calls cannot be approved/,
      );
    },
  ],
  [
    'The tool always requires approval, and the call was not approved.',
    'defer',
    () => new Deployment(ASKS).decision(),
  ],
  [
    'The `argsValidator` or a validation hook throws `ApprovalRequired`, `CallDeferred` or `InputRequired`.',
    'defer',
    () => {
      const argsValidator = () => {
        throw new ApprovalRequired();
      };
      return new Deployment({ argsValidator }).decision();
    },
  ],
  [
    'The approval check returns `true`.',
    'defer',
    () => new Deployment({ requiresApproval: () => true }).decision(),
  ],
  [
    'The approval check throws, or returns no boolean.',
    'error',
    () =>
      new Deployment({ requiresApproval: (() => undefined) as never }).decision(/Return `true`/),
  ],
  [
    'The call needs approval, and a validated number is not finite.',
    'reject',
    () => {
      const inputSchema = z.object({ euros: z.string().transform(Number) });
      const call = calls('pay', { euros: 'five' });
      return new Deployment({ ...ASKS, inputSchema }, {}, call).decision();
    },
  ],
  [
    'The call needs approval, and a validated value has no JSON form.',
    'error',
    () => {
      const inputSchema = z.object({ on: z.string().transform((text) => new Date(text)) });
      const call = calls('pay', { on: '2030-01-01' });
      return new Deployment({ ...ASKS, inputSchema }, {}, call).decision(/has no JSON form/);
    },
  ],
  [
    'The approved call drifted, and the ledger has its outcome.',
    'settle',
    async () => {
      const ledger = new MemoryLedger();
      const old = new Deployment({ ...ASKS, version: '1' }, { durability: { ledger } });
      const parked = await park(old);
      await old.resume(parked.messages, parked.approve());
      return new Deployment({ ...ASKS, version: '2' }, { durability: { ledger } }).decisionAfter(
        parked,
      );
    },
  ],
  [
    'The approved call drifted, and an attempt is in doubt that the approver was not shown.',
    'defer',
    async () => {
      const ledger = new MemoryLedger();
      const old = new Deployment(
        { ...ASKS, version: '1', execute: never },
        { durability: { ledger } },
      );
      const parked = await park(old);
      await expect(old.resume(parked.messages, parked.approve())).rejects.toThrow(/offline/);
      const options = { durability: { ledger, onDrift: 'deny' } } as const;
      return new Deployment({ ...ASKS, version: '2' }, options).decisionAfter(parked);
    },
  ],
  [
    "The approved call drifted, and `onDrift` is `'deny'`.",
    'reject',
    async () => {
      const parked = await park(new Deployment({ ...ASKS, version: '1' }));
      return new Deployment(
        { ...ASKS, version: '2' },
        { durability: { onDrift: 'deny' } },
      ).decisionAfter(parked);
    },
  ],
  [
    'The approved call drifted.',
    'defer',
    async () => {
      const parked = await park(new Deployment({ ...ASKS, preview: () => 'Pays 5 EUR.' }));
      return new Deployment({ ...ASKS, preview: () => 'Pays 5 USD.' }).decisionAfter(parked);
    },
  ],
  [
    '`verifyApproval` returns `false`: treated as drift.',
    'defer',
    async () => {
      const parked = await park(new Deployment(ASKS));
      return new Deployment(ASKS, { verifyApproval: () => false }).decisionAfter(parked);
    },
  ],
  [
    'The call has to execute at most once, and the run has no ledger.',
    'error',
    () => new Deployment({ once: true }).decision(/requires a ledger/),
  ],
  [
    'The call was approved as it is now.',
    'permit',
    async () => {
      const parked = await park(new Deployment(ASKS));
      return new Deployment(ASKS).decisionAfter(parked);
    },
  ],
  [
    'The call has the input for its question, and needs no approval.',
    'permit',
    async () => {
      const asks: PayOptions = {
        argsValidator(_args, ctx) {
          if (ctx.input === undefined) throw new InputRequired('Why?');
        },
      };
      const parked = await park(new Deployment(asks));
      const decided = { ...parked, approve: () => parked.respond('It is due.') };
      return new Deployment(asks).decisionAfter(decided);
    },
  ],
  [
    'The call needs no approval.',
    'permit',
    () => new Deployment({ requiresApproval: () => false }).decision(),
  ],
];

const EXTERNAL = new ExternalToolset([
  { name: 'pay', parametersJsonSchema: { type: 'object', properties: {} } },
]);

describe('the gate', () => {
  it.each(CONDITIONS)('%s → %s', async (_condition, decision, observe) => {
    expect(await observe()).toBe(decision);
  });

  it('has the conditions that docs/architecture.md lists, in the same order', () => {
    const page = readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8');
    const section = page.split('\n## ').find((text) => text.startsWith('The gate\n')) ?? '';
    const rows = section.matchAll(/^\| \d+ \| (.+) \| (\w+) \|$/gm);

    expect([...rows].map(([, condition, decision]) => [condition, decision])).toEqual(
      CONDITIONS.map(([condition, decision]) => [condition, decision]),
    );
  });
});
