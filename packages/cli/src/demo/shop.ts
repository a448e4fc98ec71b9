import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Approvers, WaitingCallInfo } from '@holdpoint/desk';
import {
  Agent,
  DeferredToolRequests,
  ExternalToolset,
  type RunContext,
  type Tool,
  tool,
} from 'holdpoint';
import { fields } from './fields.ts';
import { shopModel } from './shop-model.ts';

/** What the shop has really paid and booked, line by line. */
export class Books {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  note(line: string): void {
    appendFileSync(this.#path, `${line}\n`);
  }

  lines(): readonly string[] {
    if (!existsSync(this.#path)) return [];
    return readFileSync(this.#path, 'utf8').split('\n').filter(Boolean);
  }
}

type Ctx = RunContext<Books>;

const order = { type: 'string', title: 'Order' } as const;
const euros = { type: 'number', title: 'Amount in euros', minimum: 1, maximum: 5_000 } as const;

const refund = tool({
  name: 'refund',
  description: 'Gives money back to the card that an order was paid with.',
  inputSchema: fields({ order, euros }),
  requiresApproval: true,
  preview: (args) => `${args.euros} euros go back for order ${args.order}`,
  execute(args, { deps }: Ctx) {
    deps.note(`${args.euros} euros back for order ${args.order}`);
    return `${args.euros} euros were given back.`;
  },
});

const transfer = tool({
  name: 'transfer',
  description: 'Sends money to an account.',
  inputSchema: fields({
    to: { type: 'string', title: 'To' },
    account: { type: 'string', title: 'Account', description: 'Look at the number, not the name.' },
    euros,
  }),
  requiresApproval: true,
  preview: (args) => `${args.euros} euros go to ${args.to}, account ${args.account}`,
  execute(args, { deps, approval }: Ctx) {
    const by = approval?.by.map(({ id }) => id).join(' and ');
    deps.note(`${args.euros} euros to ${args.to}, approved by ${by}`);
    return `${args.euros} euros were sent.`;
  },
});

const bookCourier = tool({
  name: 'book_courier',
  description: 'Has a courier take a parcel today.',
  inputSchema: fields({ order, euros }),
  requiresApproval: true,
  preview: (args) => `A courier takes order ${args.order} today, for ${args.euros} euros`,
  execute(args, { deps }: Ctx) {
    deps.note(`a courier for order ${args.order}`);
    return 'The courier comes at four.';
  },
});

// Nothing of it runs here: somebody asks, and says what the answer was.
const supplier = new ExternalToolset([
  {
    name: 'ask_supplier',
    description: 'Asks the supplier a question.',
    parametersJsonSchema: {
      type: 'object',
      properties: { question: { type: 'string', title: 'Question' } },
      required: ['question'],
    },
  },
]);

type Output = readonly [StringConstructor, typeof DeferredToolRequests];

/** Looks after the orders of a shop, and has somebody agree to what costs money. */
export const shopAgent: Agent<readonly Tool<Books>[], Output> = new Agent<
  readonly Tool<Books>[],
  Output
>({
  name: 'shop',
  model: shopModel,
  tools: [refund, transfer, bookCourier],
  toolsets: [supplier],
  output: [String, DeferredToolRequests],
});

/** One person is enough for a refund; two treasurers have to agree to a transfer. */
export const approvers: Approvers = {
  refund: { notRequester: true, remember: 'requester' },
  transfer: { roles: ['treasurer'], count: 2, notRequester: true, remember: 'never' },
};

const TEN_MINUTES = 10 * 60_000;

/** A courier does not wait for ever. */
export function expiresAfter({ toolName }: WaitingCallInfo): number | undefined {
  return toolName === 'book_courier' ? TEN_MINUTES : undefined;
}
