import {
  type AbstractToolset,
  Agent,
  FunctionToolset,
  type RunContext,
  tool,
  type Toolset,
} from 'holdpoint';
import { says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { toolsetOf } from '../../support/toolsets.ts';

describe('deps of a toolset', () => {
  interface Shop {
    readonly shop: string;
  }
  interface Staff {
    readonly staff: readonly string[];
  }
  const buy = tool({ name: 'buy', execute: (_args, ctx: RunContext<Shop>) => ctx.deps.shop });
  const shop = new FunctionToolset<Shop>([buy]);
  const byStaff = (ctx: RunContext<Staff>) => ctx.deps.staff.length > 0;
  const model = scriptedModel(says('Done.'));

  it('are the deps of its tools and its predicates', () => {
    expectTypeOf(shop.prefixed('x')).toEqualTypeOf<AbstractToolset<Shop>>();
    expectTypeOf(shop.filtered(['buy'])).toEqualTypeOf<AbstractToolset<Shop>>();
    expectTypeOf(shop.filtered(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(shop.approvalRequired(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(
      shop.prepared((ctx: RunContext<Staff>, all) => all.slice(ctx.deps.staff.length)),
    ).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(shop.withMetadata({ x: 1 }, byStaff)).toEqualTypeOf<
      AbstractToolset<Shop & Staff>
    >();
    expectTypeOf(shop.deferLoading(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(shop.includeReturnSchemas(byStaff)).toEqualTypeOf<AbstractToolset<Shop & Staff>>();
    expectTypeOf(toolsetOf('a').filtered(byStaff).prefixed('x')).toEqualTypeOf<
      AbstractToolset<Staff>
    >();
  });

  it('are required by an agent with it', () => {
    const agent = new Agent({ model, toolsets: [shop.filtered(byStaff), toolsetOf('a')] });
    const none = new Agent({ model, toolsets: [toolsetOf('a').filtered((ctx) => !ctx.runStep)] });

    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x', staff: [] } })).toBeFunction();
    // @ts-expect-error: it needs deps
    expectTypeOf(() => agent.run('Go.')).toBeFunction();
    // @ts-expect-error: the tools need a shop
    expectTypeOf(() => agent.run('Go.', { deps: { staff: [] } })).toBeFunction();
    // @ts-expect-error: the predicate needs the staff
    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x' } })).toBeFunction();
    expectTypeOf(() => none.run('Go.')).toBeFunction();
  });

  it('combine the deps of several toolsets', () => {
    const staff = toolsetOf('a').filtered(byStaff);
    const made = (_ctx: RunContext<{ till: number }>) => toolsetOf('b');
    const agent = new Agent({ model, toolsets: [shop, staff, made] });

    const deps = { shop: 'x', staff: [], till: 1 };
    expectTypeOf(() => agent.run('Go.', { deps })).toBeFunction();
    // @ts-expect-error: one of them needs the staff
    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x', till: 1 } })).toBeFunction();
    // @ts-expect-error: the factory needs the till
    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x', staff: [] } })).toBeFunction();
  });

  it('are rejected if they are invalid', () => {
    expect(() => new Agent({ model, toolsets: [{ tools: [] }] })).toThrow(
      /`toolsets\[0\]` .* is an object\. Pass a toolset/,
    );
  });

  it('are required by a run with it', () => {
    const agent = new Agent({ model, tools: [buy] });

    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x' }, toolsets: [shop] })).toBeFunction();
    expectTypeOf(() =>
      // @ts-expect-error: the agent's deps have no staff
      agent.run('Go.', { deps: { shop: 'x' }, toolsets: [shop.filtered(byStaff)] }),
    ).toBeFunction();
  });

  it('include the deps of a factory', () => {
    const shopFor = (ctx: RunContext<Shop>): Toolset<Shop> => toolsetOf(ctx.deps.shop);
    const agent = new Agent({ model, toolsets: [shopFor] });

    expectTypeOf(() => agent.run('Go.', { deps: { shop: 'x' } })).toBeFunction();
    // @ts-expect-error: the factory needs a shop
    expectTypeOf(() => agent.run('Go.')).toBeFunction();
  });
});
