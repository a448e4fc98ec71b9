import { describe, expect, it } from 'vitest';
import { renderRetryPrompt } from './request-part.ts';

describe('a retry prompt', () => {
  const tool = { kind: 'retry-prompt', toolName: 'delete_file', toolCallId: 'c1' } as const;

  it('contains the reason and a request to try again', () => {
    expect(renderRetryPrompt({ ...tool, content: 'There is no such file.' })).toBe(
      'There is no such file.\n\nPlease correct this and try again.',
    );
  });

  it('refers to the response if no tool was called', () => {
    expect(renderRetryPrompt({ kind: 'retry-prompt', content: 'Too long.' })).toBe(
      'Your response cannot be used:\nToo long.\n\nPlease correct this and try again.',
    );
  });

  it('lists each problem with its location, description and value', () => {
    const content = [
      { path: ['files', 0, 'path'], message: 'must be a text', input: 5 },
      { path: [], message: 'must not be empty', input: {} },
      { path: ['mode'], message: 'is missing' },
    ];

    expect(renderRetryPrompt({ ...tool, content })).toBe(
      [
        '3 problems found:',
        '- files[0].path: must be a text (found 5)',
        '- must not be empty (found {})',
        '- mode: is missing',
        '',
        'Please correct this and try again.',
      ].join('\n'),
    );
  });

  it('counts a single problem in the singular', () => {
    const content = [{ path: [], message: 'is wrong' }];

    expect(renderRetryPrompt({ ...tool, content })).toMatch(/^1 problem found:\n- is wrong\n/);
  });
});
