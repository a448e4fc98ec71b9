import { describe, expect, it } from 'vitest';
import { pathOf, routeOf } from '../../page/shell/route.ts';
import { transcriptOf } from '../../page/transcript/transcript-of.ts';
import { lineOf } from '../../page/values/json-text.ts';

describe('transcript', () => {
  it('has an author for every entry, and files without their data', () => {
    const messages = [
      {
        kind: 'request',
        parts: [
          { kind: 'system-prompt', content: 'Be kind.' },
          {
            kind: 'user-prompt',
            content: ['Look', { kind: 'binary', data: 'AAAA', mediaType: 'image/png' }],
          },
        ],
      },
      {
        kind: 'response',
        parts: [
          { kind: 'text', content: '' },
          { kind: 'tool-call', toolName: 'refund', toolCallId: '1', args: '{"euros":1}' },
          { kind: 'tool-call', toolName: 'refund', toolCallId: '2', args: '{"euros":' },
        ],
      },
      {
        kind: 'request',
        parts: [{ kind: 'tool-return', toolName: 'refund', outcome: 'denied', content: 'No.' }],
      },
      { kind: 'response', parts: [{ kind: 'of-tomorrow', data: 'BBBB' }, 'odd'] },
      { kind: 'odd' },
    ];

    expect(transcriptOf(messages)).toEqual([
      { author: 'application', action: 'instructs', content: 'Be kind.' },
      { author: 'person', content: 'Look' },
      {
        author: 'person',
        action: 'attached a file',
        content: { kind: 'binary', data: '4 characters of base64', mediaType: 'image/png' },
      },
      { author: 'agent', action: 'calls', toolName: 'refund', content: { euros: 1 } },
      { author: 'agent', action: 'calls', toolName: 'refund', content: '{"euros":' },
      { author: 'tool', action: 'was denied', toolName: 'refund', content: 'No.' },
      {
        author: 'application',
        content: { kind: 'of-tomorrow', data: '4 characters of base64' },
      },
    ]);
  });
});

describe('value on one line', () => {
  it('has the names of its members', () => {
    expect(lineOf({ order: '17', euros: 40, letter: { to: 'a' } })).toBe(
      'order: "17" · euros: 40 · letter: {"to":"a"}',
    );
    expect(lineOf(['a', 1, null])).toBe('"a" · 1 · null');
    expect(lineOf('as it is')).toBe('as it is');
  });
});

describe('address of a view', () => {
  it.each(['', '/open', '/runs', '/grants', '/holds/a%2Fb', '/runs/1', '/audit/1'])(
    'survives parsing and formatting: %s',
    (path) => {
      expect(pathOf(routeOf(path))).toBe(path);
    },
  );

  it.each(['/nowhere', '/holds/1/2', '/nowhere/1'])('is unknown: %s', (path) => {
    expect(routeOf(path)).toEqual({ name: 'unknown' });
  });

  it('keeps an id with an invalid escape as it is', () => {
    expect(routeOf('/holds/%E0')).toEqual({ name: 'hold', id: '%E0' });
  });
});
