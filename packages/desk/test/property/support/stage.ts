import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import {
  Agent,
  type CallApproval,
  DeferredToolRequests,
  type JsonObject,
  type JsonValue,
  type RunContext,
  tool,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';
import { indexOf } from './cast.ts';
import { type CrashPlan, MortalProcess } from './mortal-process.ts';
import { isLarge, type PolicySpec, ruleFor } from './policy-spec.ts';

/** The input schemas that the tool `pay` can have. */
export const SCHEMAS = [
  'plain',
  'default',
  'other-default',
  'computed',
  'factor',
  'look-up',
] as const;
export type SchemaName = (typeof SCHEMAS)[number];

/** One version of the application: the tool, the facts that it looks up, and the policy. */
export interface Deployment {
  readonly schema: SchemaName;
  readonly hasPreview: boolean;
  readonly version: '1' | '2';
  /** A fact that the application looks up: a price, a factor, an account. */
  readonly price: number;
  readonly policy: PolicySpec;
}

/** An execution of `pay`, as the tool itself saw it. */
export interface Execution {
  readonly args: JsonValue;
  readonly preview: JsonValue | undefined;
  readonly approval: CallApproval | undefined;
  readonly at: number;
  readonly deployment: Deployment;
}

/** A clock that a story moves. */
export interface StoryClock {
  now(): number;
  advance(ms: number): Promise<void>;
}

/** A store with a clock, for many stories one after the other. */
export interface StoryStore {
  readonly store: Store;
  readonly clock: StoryClock;
}

/** The time without a heartbeat after which another worker takes a run over, in milliseconds. */
const LEASE_MS = 60_000;

/**
 * The desks on which stories are played in sequence, each story in its own tenant. Desks are opened
 * once. The deployment selects the desk of a story, and defines its tool and its policy.
 */
export class Stage {
  readonly clock: StoryClock;
  readonly store: Store;
  readonly executions: Execution[] = [];
  readonly #bare: Desk;
  #process: MortalProcess;
  #deployment: Deployment | undefined;
  #computed = 0;

  constructor({ store, clock }: StoryStore) {
    this.clock = clock;
    this.store = store;
    this.#process = new MortalProcess(store);
    this.#bare = openDesk({ store, agents: {} });
  }

  get deployment(): Deployment {
    if (this.#deployment === undefined) throw new Error('Nothing was deployed yet.');
    return this.#deployment;
  }

  deploy(deployment: Deployment): void {
    this.#deployment = deployment;
  }

  /** Returns the desk of the current deployment. */
  desk(tenant: string): Desk {
    const { schema, hasPreview, version } = this.deployment;
    const key = `${schema} ${hasPreview} ${version}`;
    const { desks } = this.#process;
    const desk = desks.get(key) ?? this.#openDesk(this.#process, this.deployment);
    desks.set(key, desk);
    return desk.forTenant(tenant);
  }

  /** Returns a desk in a process that has neither the agents nor the policy. */
  bareDesk(tenant: string): Desk {
    return this.#bare.forTenant(tenant);
  }

  /** Works in a process that dies as planned. Another process replaces it. */
  async workUntilCrash(plan: CrashPlan, work: () => Promise<unknown>): Promise<void> {
    const dying = this.#process;
    dying.plan(plan);
    try {
      await work();
    } catch (error) {
      if (!dying.isDead) throw error;
    }
    dying.plan(undefined);
    if (!dying.isDead) return;
    await dying.atRest();
    this.#process = new MortalProcess(this.store);
    // The other process claims the run after the lease has ended.
    await this.clock.advance(LEASE_MS + 1);
  }

  /** Returns the preview that the current deployment has for arguments. */
  previewOf(args: JsonValue): JsonValue | undefined {
    const { hasPreview, price } = this.deployment;
    return hasPreview ? { text: JSON.stringify(args), price } : undefined;
  }

  #openDesk(process: MortalProcess, { schema, hasPreview, version }: Deployment): Desk {
    const pay = tool({
      name: 'pay',
      inputSchema: this.#schema(schema),
      requiresApproval: true,
      version,
      // A tool has JSON arguments here.
      ...(hasPreview && { preview: (args) => this.previewOf(args as JsonValue) }),
      execute: (args, ctx) => this.#pay(process, args as JsonValue, ctx),
    });
    const payer = new Agent({ name: 'payer', model, tools: [pay], output });
    const lead = new Agent({ name: 'lead', model: delegating, tools: [payer.asTool()], output });
    return openDesk({
      store: process.store,
      agents: { payer: { agent: payer }, lead: { agent: lead } },
      approvers: ({ args }) => ruleFor(this.deployment.policy, args),
      mayDecide: ({ person }, { args }) => {
        const { barred } = this.deployment.policy;
        return barred === undefined || indexOf(person.id) !== barred || !isLarge(args);
      },
      expiresAfter: () => this.deployment.policy.expiresAfter,
      lease: LEASE_MS,
      // Crashes and forgeries are part of the stories.
      onError() {},
      url: 'https://desk.example',
    });
  }

  #schema(name: SchemaName): z.ZodType<object> {
    const to = z.string();
    const euros = z.number();
    switch (name) {
      case 'plain':
        return z.object({ to, euros });
      case 'default':
        return z.object({ to, euros: euros.default(10) });
      case 'other-default':
        return z.object({ to, euros: euros.default(5_000) });
      case 'computed':
        return z.object({ to, euros: euros.optional() }).transform((args) => {
          this.#computed += 1;
          // Returns another value at every validation, with the size that the deployment sets.
          const computed = this.deployment.price + (this.#computed % 3);
          return { ...args, euros: args.euros ?? computed };
        });
      case 'factor':
        return z
          .object({ to, euros: euros.default(10) })
          .transform((args) => ({ ...args, euros: args.euros * this.deployment.price }));
      case 'look-up':
        return z
          .object({ to, euros: euros.default(10) })
          .transform(async (args) => ({ ...args, account: `${args.to}-${this.deployment.price}` }));
    }
  }

  #pay(process: MortalProcess, args: JsonValue, { approval }: RunContext): string {
    process.requireAlive();
    this.executions.push({
      args,
      preview: this.previewOf(args),
      approval,
      at: this.clock.now(),
      deployment: this.deployment,
    });
    process.dieInCall();
    return 'paid';
  }
}

const output = [String, DeferredToolRequests] as const;

/** The prompt of a run: the calls that its model makes. */
export function promptFor(wanted: readonly JsonObject[]): string {
  return JSON.stringify(wanted);
}

/**
 * Makes the calls that the last prompt or request for changes names, and sends text after other
 * results.
 */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  const isRequest = last?.kind === 'user-prompt' || last?.kind === 'retry-prompt';
  if (!isRequest || typeof last.content !== 'string' || !last.content.startsWith('[')) {
    return says('Done.');
  }
  const wanted: readonly JsonObject[] = JSON.parse(last.content);
  return responds(...wanted.map((args) => calls('pay', args)));
});

/** Delegates its prompt to the sub-agent. */
const delegating = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt' || typeof last.content !== 'string') return says('Done.');
  return calls('payer', { prompt: last.content });
});
