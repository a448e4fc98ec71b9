import {
  Agent,
  type DeferredToolRequests,
  fromJsonSchema,
  type JsonObject,
  outputFunction,
  type Tool,
  type ToolCallPart,
  tool,
} from 'holdpoint';
import type { CallToExecute, CallToValidate } from 'holdpoint/capabilities';
import type { DeepReadonly } from 'holdpoint/tools';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const Order = z.object({
  items: z.array(z.object({ name: z.string(), tags: z.string().array() })),
  note: z.string().optional(),
});
type Order = z.infer<typeof Order>;

/** The frozen type in full, as an editor shows it. */
interface FrozenOrder {
  readonly items: readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly note?: string | undefined;
}

class Money {
  #cents = 0;
  add(cents: number): number {
    this.#cents += cents;
    return this.#cents;
  }
}

describe('the types of arguments are deeply readonly', () => {
  it('in every callback of a tool', () => {
    const order = tool({
      name: 'order',
      inputSchema: Order,
      requiresApproval(args) {
        expectTypeOf(args).toEqualTypeOf<FrozenOrder>();
        return true;
      },
      argsValidator: (args) => void expectTypeOf(args).toEqualTypeOf<FrozenOrder>(),
      preview: (args) => void expectTypeOf(args).toEqualTypeOf<FrozenOrder>(),
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<FrozenOrder>();
        // @ts-expect-error: the list is frozen
        args.items.sort();
        // @ts-expect-error: so is what is in it
        args.items[0]?.tags.push('new');
        // @ts-expect-error: so is the object itself
        args.note = 'changed';
        return args.items.toSorted().length;
      },
    });
    expectTypeOf(order).toEqualTypeOf<Tool<unknown, FrozenOrder, 'order'>>();
  });

  it('of calls that a tool matches', () => {
    const order = tool({ name: 'order', inputSchema: Order, execute: () => 1 });
    const look = (requests: DeferredToolRequests, call: ToolCallPart) => {
      if (order.matches(call)) expectTypeOf(requests.get(call).args).toEqualTypeOf<FrozenOrder>();
      expectTypeOf(requests.get<Order>('c1').args).toEqualTypeOf<FrozenOrder>();
      expectTypeOf(requests.get('c1').args).toEqualTypeOf<unknown>();
    };
    void look;
  });

  it('of an agent as a tool', () => {
    const agent = new Agent({ name: 'clerk', model: 'test' });
    const clerk = agent.asTool({
      inputSchema: Order,
      prompt(args) {
        expectTypeOf(args).toEqualTypeOf<FrozenOrder>();
        return 'Order it.';
      },
    });
    expectTypeOf(clerk).toEqualTypeOf<Tool<unknown, FrozenOrder>>();
  });

  it('of an output function', () => {
    outputFunction({
      inputSchema: Order,
      execute: (args) => expectTypeOf(args).toEqualTypeOf<FrozenOrder>(),
    });
  });

  it('of a schema that is only known as JSON', () => {
    tool({
      inputSchema: fromJsonSchema<{ words: string[] }>({ type: 'object' }),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ readonly words: readonly string[] }>(),
    });
  });

  it('in hooks, where arguments are unknown or JSON', () => {
    expectTypeOf<CallToExecute['args']>().toEqualTypeOf<unknown>();
    expectTypeOf<CallToValidate['args']>().toEqualTypeOf<JsonObject>();
  });

  it('so that a function which changes its parameter does not accept them', () => {
    const emptied = (order: Order) => order.items.pop();
    const counted = (order: DeepReadonly<Order>) => order.items.length;
    const named = (order: Pick<Order, 'note'>) => order.note;

    tool({
      inputSchema: Order,
      execute(args) {
        // @ts-expect-error: `readonly` lists cannot be assigned to the mutable type
        emptied(args);
        emptied(structuredClone(args) as Order);
        return [counted(args), named(args)];
      },
    });
  });
});

describe('`DeepReadonly` does not change values that are not plain data', () => {
  it('such as primitives, branded ones included', () => {
    const Id = z.string().brand<'Id'>();
    type Id = z.infer<typeof Id>;

    expectTypeOf<DeepReadonly<string | 1 | bigint | null | undefined>>().toEqualTypeOf<
      string | 1 | bigint | null | undefined
    >();
    expectTypeOf<DeepReadonly<boolean>>().toEqualTypeOf<boolean>();
    expectTypeOf<DeepReadonly<{ id: Id }>['id']>().toEqualTypeOf<Id>();
    expectTypeOf<DeepReadonly<{ id: string & { readonly __brand: 'id' } }>['id']>().toEqualTypeOf<
      string & { readonly __brand: 'id' }
    >();
  });

  it('such as dates, functions and instances of classes', () => {
    expectTypeOf<
      DeepReadonly<{ at: Date; url: URL; bytes: Uint8Array; sum: Money }>
    >().toEqualTypeOf<{
      readonly at: Date;
      readonly url: URL;
      readonly bytes: Uint8Array;
      readonly sum: Money;
    }>();
    expectTypeOf<DeepReadonly<() => string[]>>().toEqualTypeOf<() => string[]>();
  });

  it('such as maps and sets, but not their contents', () => {
    expectTypeOf<DeepReadonly<Map<string, string[]>>>().toEqualTypeOf<
      Map<string, readonly string[]>
    >();
    expectTypeOf<DeepReadonly<Set<{ a: number }>>>().toEqualTypeOf<Set<{ readonly a: number }>>();
  });

  it('such as unknown values', () => {
    expectTypeOf<DeepReadonly<unknown>>().toEqualTypeOf<unknown>();
    expectTypeOf<DeepReadonly<never>>().toEqualTypeOf<never>();
    expectTypeOf<DeepReadonly<object>>().toEqualTypeOf<object>();
    expectTypeOf<DeepReadonly<{ a: unknown }>>().toEqualTypeOf<{ readonly a: unknown }>();
  });

  it('and freezes tuples, records, unions and types that contain themselves', () => {
    interface Tree {
      label: string;
      children: Tree[];
    }
    expectTypeOf<DeepReadonly<[string, number[]]>>().toEqualTypeOf<
      readonly [string, readonly number[]]
    >();
    expectTypeOf<DeepReadonly<Record<string, string[]>>>().toEqualTypeOf<
      Readonly<Record<string, readonly string[]>>
    >();
    expectTypeOf<DeepReadonly<{ kind: 'a'; a: string[] } | { kind: 'b' }>>().toEqualTypeOf<
      { readonly kind: 'a'; readonly a: readonly string[] } | { readonly kind: 'b' }
    >();
    expectTypeOf<DeepReadonly<Tree>['children'][number]['label']>().toEqualTypeOf<string>();
    expectTypeOf<DeepReadonly<DeepReadonly<Order>>>().toEqualTypeOf<DeepReadonly<Order>>();
    expectTypeOf<DeepReadonly<JsonObject>>().toExtend<JsonObject>();
    expectTypeOf<DeepReadonly<z.infer<ReturnType<typeof z.json>>>>().toExtend<
      DeepReadonly<z.infer<ReturnType<typeof z.json>>>
    >();
  });
});
