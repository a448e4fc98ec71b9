import {
  DeferredToolResults,
  ModelRetry,
  ToolApproved,
  ToolDenied,
  ToolFailed,
  ToolReturn,
} from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { present } from '../../support/present.ts';

describe('a decision or result', () => {
  async function resumeWith(
    decisions: ConstructorParameters<typeof DeferredToolResults>[0],
    way: (typeof ways)[number],
  ) {
    const shop = workshop();
    const script = [
      responds(calls('remove', { path: 'a' }, { id: 'r' }), calls('paint', {}, { id: 'p' })),
    ];
    const parked = await expectParked(agentIn(shop, script).run('Go.'));
    const finished = await agentIn(shop, [says('Done.')]).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(
        new DeferredToolResults({
          ...decisions,
          approvals: { r: false, ...decisions?.approvals },
          calls: { p: 0, ...decisions?.calls },
        }),
      ),
    });
    return { shop, parts: present(finished.messages.at(-2)).parts, sent: finished.messages };
  }

  describe.each(ways)('for an approval ($way)', (way) => {
    it.each([true, new ToolApproved()])(
      'of %s executes the call as it was sent',
      async (decision) => {
        const { shop, parts } = await resumeWith({ approvals: { r: decision } }, way);

        expect(shop.effects).toEqual([
          { tool: 'remove', path: 'a', approved: true, metadata: undefined },
        ]);
        expect(parts[0]).toMatchObject({ outcome: 'success' });
      },
    );

    it('executes the call with edited arguments; the history keeps those of the model', async () => {
      const decision = new ToolApproved({ overrideArgs: { path: 'b' } });

      const { shop, sent } = await resumeWith({ approvals: { r: decision } }, way);

      expect(shop.ran()).toEqual(['remove b']);
      expect(sent[1]?.parts[0]).toMatchObject({ args: '{"path":"a"}' });
    });

    it.each([
      [false, 'The tool call was denied.'],
      [new ToolDenied(), 'The tool call was denied.'],
      [new ToolDenied('Not on a Friday.'), 'Not on a Friday.'],
      [new ToolDenied(''), ''],
    ] as const)('of %s is sent to the model', async (decision, content) => {
      const { shop, parts } = await resumeWith({ approvals: { r: decision } }, way);

      expect(parts[0]).toMatchObject({ kind: 'tool-return', outcome: 'denied', content });
      expect(shop.effects).toEqual([]);
    });
  });

  describe.each(ways)('for an external call ($way)', (way) => {
    it.each([
      ['a text', 'x'],
      ['true', true],
      ['false', false],
      ['null', null],
      ['a list', [1]],
    ])('may be %s', async (_, value) => {
      const { parts } = await resumeWith({ calls: { p: value } }, way);

      expect(parts[1]).toMatchObject({ kind: 'tool-return', outcome: 'success', content: value });
    });

    it('may add content for the model and metadata for the application', async () => {
      const decision = new ToolReturn({
        returnValue: 1,
        content: 'Look!',
        metadata: { at: 'noon' },
      });

      const { parts } = await resumeWith({ calls: { p: decision } }, way);

      expect(parts.slice(1)).toMatchObject([
        { kind: 'tool-return', content: 1, metadata: { at: 'noon' } },
        { kind: 'user-prompt', content: 'Look!' },
      ]);
    });

    it('may send the call back to the model, without counting as a retry', async () => {
      const retry = await resumeWith({ calls: { p: new ModelRetry('Brighter.') } }, way);
      const prompt = { kind: 'retry-prompt', content: 'Darker.', toolCallId: 'other' } as const;
      const ready = await resumeWith({ calls: { p: prompt } }, way);

      expect(retry.parts[1]).toMatchObject({
        kind: 'retry-prompt',
        content: 'Brighter.',
        toolName: 'paint',
        toolCallId: 'p',
      });
      expect(ready.parts[1]).toMatchObject({
        content: 'Darker.',
        toolName: 'paint',
        toolCallId: 'p',
      });
    });

    it('may be a failure', async () => {
      const { parts } = await resumeWith({ calls: { p: new ToolFailed('No paint.') } }, way);

      expect(parts[1]).toMatchObject({ outcome: 'failed', content: 'No paint.' });
    });
  });
});
