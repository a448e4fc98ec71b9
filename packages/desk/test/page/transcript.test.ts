import { describe, expect, it } from 'vitest';
import { pathOf, routeOf } from '../../page/shell/route.ts';
import { transcriptOf } from '../../page/transcript/transcript-of.ts';
import { lineOf } from '../../page/values/json-text.ts';

describe('a transcript', () => {
  it('has what was said, by whom, and nothing of files but their names', () => {
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
      { who: 'application', what: 'tells the agent', content: 'Be kind.' },
      { who: 'person', what: 'says', content: 'Look' },
      {
        who: 'person',
        what: 'gives a file',
        content: { kind: 'binary', data: '4 characters of base64', mediaType: 'image/png' },
      },
      { who: 'agent', what: 'calls', toolName: 'refund', content: { euros: 1 } },
      { who: 'agent', what: 'calls', toolName: 'refund', content: '{"euros":' },
      { who: 'tool', what: 'was denied', toolName: 'refund', content: 'No.' },
      {
        who: 'application',
        what: 'notes',
        content: { kind: 'of-tomorrow', data: '4 characters of base64' },
      },
    ]);
  });
});

describe('a value on one line', () => {
  it('has the names of its members', () => {
    expect(lineOf({ order: '17', euros: 40, letter: { to: 'a' } })).toBe(
      'order: "17" · euros: 40 · letter: {"to":"a"}',
    );
    expect(lineOf(['a', 1, null])).toBe('"a" · 1 · null');
    expect(lineOf('as it is')).toBe('as it is');
  });
});

describe('an address of the page', () => {
  it.each(['', '/open', '/runs', '/grants', '/holds/a%2Fb', '/runs/1', '/audit/1'])(
    'leads where it came from: %s',
    (path) => {
      expect(pathOf(routeOf(path))).toBe(path);
    },
  );

  it.each(['/nowhere', '/holds/1/2', '/nowhere/1'])('is nothing: %s', (path) => {
    expect(routeOf(path)).toEqual({ name: 'unknown' });
  });

  it('may hold what cannot be read', () => {
    expect(routeOf('/holds/%E0')).toEqual({ name: 'hold', id: '%E0' });
  });
});
