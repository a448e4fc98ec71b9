import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Approvers, DeferredCallInfo } from '@holdpoint/desk';
import {
  Agent,
  DeferredToolRequests,
  ExternalToolset,
  type RunContext,
  type Tool,
  tool,
} from 'holdpoint';
import { calls, functionModel, responds, type ResponseDraft, says } from 'holdpoint/testing';
import { fields } from './fields.ts';

/** The shop's journal of payments and bookings, one line each. */
export class Journal {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  append(line: string): void {
    appendFileSync(this.#path, `${line}\n`);
  }

  lines(): readonly string[] {
    if (!existsSync(this.#path)) return [];
    return readFileSync(this.#path, 'utf8').split('\n').filter(Boolean);
  }
}

type Ctx = RunContext<Journal>;

const order = { type: 'string', title: 'Order' } as const;
const amount = { type: 'number', title: 'Amount in euros', minimum: 1, maximum: 5_000 } as const;
const euros = (value: number) => `€${value.toLocaleString('en')}`;

const refund = tool({
  name: 'refund',
  description: 'Refund an order to the card that paid for it.',
  inputSchema: fields({ order, amount }),
  requiresApproval: true,
  preview: (args) => `Refund ${euros(args.amount)} for order ${args.order}`,
  execute(args, { deps }: Ctx) {
    deps.append(`Refunded ${euros(args.amount)} for order ${args.order}`);
    return `Refunded ${euros(args.amount)} for order ${args.order}.`;
  },
});

const transfer = tool({
  name: 'transfer',
  description: 'Transfer money to a bank account.',
  inputSchema: fields({
    to: { type: 'string', title: 'Recipient' },
    account: { type: 'string', title: 'Account', description: 'Check the number, not the name.' },
    amount,
  }),
  requiresApproval: true,
  preview: (args) => `Transfer ${euros(args.amount)} to ${args.to}, account ${args.account}`,
  execute(args, { deps, approval }: Ctx) {
    const by = approval?.by.map(({ id }) => id).join(' and ');
    deps.append(`Transferred ${euros(args.amount)} to ${args.to}, approved by ${by}`);
    return `Transferred ${euros(args.amount)} to ${args.to}.`;
  },
});

const bookCourier = tool({
  name: 'book_courier',
  description: 'Book a courier for today.',
  inputSchema: fields({ order, amount }),
  requiresApproval: true,
  preview: (args) => `Book a courier for order ${args.order} today, ${euros(args.amount)}`,
  execute(args, { deps }: Ctx) {
    deps.append(`Booked a courier for order ${args.order}`);
    return 'Booked a courier for 4 pm.';
  },
});

// A person supplies the result.
const supplier = new ExternalToolset([
  {
    name: 'ask_supplier',
    description: 'Ask the supplier a question.',
    parametersJsonSchema: {
      type: 'object',
      properties: { question: { type: 'string', title: 'Question' } },
      required: ['question'],
    },
  },
]);

/** The prompts of the demo, the refund first. */
export const PROMPTS = {
  refund: 'The lamp in order 17 arrived broken. Please refund the customer.',
  transfer: 'Please pay the invoice of Lumen & Sons.',
  askSupplier: 'When will the green lampshades arrive?',
  bookCourier: 'The vase in order 23 has to arrive tomorrow.',
} as const;

const RESPONSES: Readonly<Record<string, () => ResponseDraft>> = {
  [PROMPTS.refund]: () =>
    responds(
      says('Order 17 was one lamp for €40. I will refund it.'),
      calls('refund', { order: '17', amount: 40 }),
    ),
  [PROMPTS.transfer]: () =>
    responds(
      says('Invoice 311 is over €1,860.'),
      calls('transfer', {
        to: 'Lumen & Sons',
        account: 'DE89 3704 0044 0532 0130 00',
        amount: 1860,
      }),
    ),
  [PROMPTS.askSupplier]: () =>
    calls('ask_supplier', { question: 'When will you ship the 12 green lampshades?' }),
  [PROMPTS.bookCourier]: () =>
    responds(
      says('A courier is available. The offer is valid for ten minutes.'),
      calls('book_courier', { order: '23', amount: 24 }),
    ),
};

/** Responds to each prompt with its call, and to each result with a summary. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') {
    return RESPONSES[String(last.content)]?.() ?? says('I only know the orders of this demo.');
  }
  if (last?.kind !== 'tool-return') return says('There is nothing to do.');
  const result = typeof last.content === 'string' ? last.content : JSON.stringify(last.content);
  return says(last.outcome === 'success' ? `Done. ${result}` : `Not done. ${result}`);
});

type Output = readonly [StringConstructor, typeof DeferredToolRequests];

/** Processes the orders of a shop. Payments and bookings need approval. */
export const shopAgent: Agent<readonly Tool<Journal>[], Output> = new Agent<
  readonly Tool<Journal>[],
  Output
>({
  name: 'shop',
  model,
  tools: [refund, transfer, bookCourier],
  toolsets: [supplier],
  output: [String, DeferredToolRequests],
});

/** A refund needs one approver; a transfer needs two treasurers. */
export const approvers: Approvers = {
  refund: { notRequester: true, grants: 'requester' },
  transfer: { roles: ['treasurer'], count: 2, notRequester: true, grants: 'never' },
};

const TEN_MINUTES = 10 * 60_000;

/** The courier's offer expires. */
export function expiresAfter({ toolName }: DeferredCallInfo): number | undefined {
  return toolName === 'book_courier' ? TEN_MINUTES : undefined;
}
