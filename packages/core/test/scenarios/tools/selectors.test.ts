import { Agent, type JsonObject, type RunContext, type ToolDefinition } from 'holdpoint';
import { matchesToolSelector, type ToolSelector } from 'holdpoint/tools';
import { scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { toolsetOf } from '../../support/toolsets.ts';

describe('a tool selector', () => {
  const definition = (metadata?: JsonObject): ToolDefinition => ({
    name: 'read',
    parametersJsonSchema: { type: 'object' },
    sequential: false,
    deferLoading: false,
    kind: 'function',
    metadata,
  });
  const nested = { room: { floor: 1, doors: [1, 2] }, open: true, owner: null };

  it.each<[ToolSelector, JsonObject | undefined, boolean]>([
    ['all', undefined, true],
    [['read'], undefined, true],
    [['write', 'read'], undefined, true],
    [['write'], undefined, false],
    [['rea'], undefined, false],
    [['all'], undefined, false],
    [[], undefined, false],
    [{}, undefined, true],
    [{}, nested, true],
    [{ open: true }, nested, true],
    [{ open: 'true' }, nested, false],
    [{ open: true, room: { floor: 1 } }, nested, true],
    [{ open: true, room: { floor: 2 } }, nested, false],
    [{ room: {} }, nested, true],
    [{ room: { doors: [1, 2] } }, nested, true],
    [{ room: { doors: [1] } }, nested, false],
    [{ room: { doors: [2, 1] } }, nested, false],
    [{ room: { doors: {} } }, nested, false],
    [{ room: 1 }, nested, false],
    [{ owner: null }, nested, true],
    [{ missing: null }, nested, false],
    [{ open: true }, undefined, false],
    [{ toString: {} }, {}, false],
    [{ constructor: {} }, nested, false],
    [{ list: [{ a: 1, b: 2 }] }, { list: [{ b: 2, a: 1 }] }, true],
    [{ list: [{ a: 1 }] }, { list: [{ b: 2, a: 1 }] }, false],
    [{ list: [{ a: { b: 1 } }] }, { list: [{ a: { b: 1, c: 2 } }] }, false],
    [{ list: [[{ b: 1 }]] }, { list: [[{ b: 1 }]] }, true],
    [() => true, undefined, true],
    [() => false, nested, false],
    [(_ctx, { name }) => name === 'read', undefined, true],
    [async (_ctx, { metadata }) => metadata?.['open'] === true, nested, true],
  ])('%o picks a tool with metadata %o: %s', async (selector, metadata, expected) => {
    const ctx = {} as RunContext;

    expect(await matchesToolSelector(selector, ctx, definition(metadata))).toBe(expected);
  });

  it('is plain data, unless it is a function', async () => {
    const selectors: ToolSelector[] = ['all', ['read'], { room: { floor: 1 } }];

    for (const selector of selectors) {
      const loaded = JSON.parse(JSON.stringify(selector)) as ToolSelector;
      expect(await matchesToolSelector(loaded, {} as RunContext, definition(nested))).toBe(true);
    }
  });

  it('passes the context to its function', async () => {
    const seen: unknown[] = [];
    const toolset = toolsetOf('a').filtered((ctx: RunContext<string>) => {
      seen.push([ctx.deps, ctx.runStep]);
      return true;
    });

    const agent = new Agent({ model: scriptedModel('Done.'), toolsets: [toolset] });
    await agent.run('Go.', { deps: 'mine' });

    expect(seen).toEqual([['mine', 1]]);
  });
});
