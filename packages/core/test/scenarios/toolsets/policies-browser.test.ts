import { Agent, inherit, type Tool, type Toolset } from 'holdpoint';
import type { PlainToolsets } from 'holdpoint/agents';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { present } from '../../support/present.ts';
import { reporting } from '../../support/sub-agents.ts';
import { delegations } from '../../support/toolset-policies/observe.ts';
import {
  askSub,
  byToolset,
  type Compositions,
  teamOf,
} from '../../support/toolset-policies/team.ts';
import { BrowserProgram, BrowserToolset } from '../../support/toolsets-of-the-proposal/browser.ts';

describe.each(delegations)('delegating with $way', ({ delegate }) => {
  describe('the browser, of which sub-agents get a snapshot', () => {
    const program = () => new BrowserProgram();
    const does = [
      calls('go', { url: 'https://a.example' }),
      calls('scroll', { by: 300 }),
      askSub,
      calls('where'),
    ];
    const looksAround = [
      calls('where'),
      calls('go', { url: 'https://b.example' }),
      calls('scroll', { by: 50 }),
      calls('where'),
    ];

    it.each(byToolset)('opens a window on the same page: %s', async (_what, compose) => {
      const windows = program();
      const { lead, sub } = compose(() => new BrowserToolset(windows), 'browser');
      const agent = teamOf(delegate, {
        lead: { toolsets: lead, does },
        sub: { toolsets: sub, does: looksAround },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 2: https://a.example at 0',
        'window 2: https://b.example at 50',
        'window 1: https://a.example at 300',
      ]);
      expect(windows.windows).toEqual({ open: 0, ever: 2 });
    });

    it('opens one for each of two concurrent sub-agents', async () => {
      const windows = program();
      const agent = teamOf(delegate, {
        lead: {
          toolsets: [() => new BrowserToolset(windows)],
          does: [
            calls('go', { url: 'https://a.example' }),
            responds(askSub, askSub),
            calls('where'),
          ],
        },
        sub: { toolsets: [inherit('browser')], does: looksAround.slice(1) },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 2: https://b.example at 50',
        'window 3: https://b.example at 50',
        'window 1: https://a.example at 0',
      ]);
    });

    it.each<[string, string, (make: () => Toolset) => PlainToolsets[number][]]>([
      [
        'the page of the run above it, with inherit(id)',
        'https://b.example',
        (make) => [make, inherit('browser'), inherit('browser')],
      ],
      [
        'the page of the instance that all agents have',
        'https://a.example',
        (make) => {
          const browser = make();
          return [browser, browser, browser];
        },
      ],
    ])('opens for a nested sub-agent %s', async (_what, url, compose) => {
      const windows = program();
      const [lead, sub, nested] = compose(() => new BrowserToolset(windows));
      const nestedAgent = new Agent<readonly Tool[]>({
        name: 'nested',
        model: reporting(calls('where')),
        toolsets: [present(nested)],
      });
      const subAgent = new Agent<readonly Tool[]>({
        name: 'sub',
        model: reporting(
          calls('go', { url: 'https://b.example' }),
          calls('nested', { prompt: 'Go on.' }),
        ),
        tools: [delegate(nestedAgent)],
        toolsets: [present(sub)],
      });
      const agent = new Agent({
        model: reporting(calls('go', { url: 'https://a.example' }), askSub),
        tools: [delegate(subAgent)],
        toolsets: [present(lead)],
      });

      const { output } = await agent.run('Go.');

      expect(output).toBe(`window 3: ${url} at 0`);
      expect(windows.windows).toEqual({ open: 0, ever: 3 });
    });

    it('opens an empty window if a factory forces it', async () => {
      const windows = program();
      const fresh = [() => new BrowserToolset(windows)];
      const agent = teamOf(delegate, {
        lead: { toolsets: fresh, does },
        sub: { toolsets: fresh, does: [calls('where')] },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 2: about:blank at 0',
        'window 1: https://a.example at 300',
      ]);
    });

    it.each<[string, (windows: BrowserProgram) => Compositions]>([
      [
        'a factory that gives the same instance',
        (windows) => {
          const browser = new BrowserToolset(windows);
          return { lead: [browser], sub: [() => browser] };
        },
      ],
      [
        'inherit(id, { share: true })',
        (windows) => ({
          lead: [() => new BrowserToolset(windows)],
          sub: [inherit('browser', { share: true })],
        }),
      ],
    ])('is one window for both if %s forces it', async (_what, compose) => {
      const windows = program();
      const { lead, sub } = compose(windows);
      const agent = teamOf(delegate, {
        lead: { toolsets: lead, does },
        sub: { toolsets: sub, does: looksAround },
      });

      const { output } = await agent.run('Go.');

      expect(output.split('; ')).toEqual([
        'window 1: https://a.example at 300',
        'window 1: https://b.example at 50',
        'window 1: https://b.example at 50',
      ]);
      expect(windows.windows).toEqual({ open: 0, ever: 1 });
    });
  });
});
