import { expect, it } from 'vitest';
import { renderSpeech } from './speech-part.ts';

it.each([
  [{ transcript: 'Hello' }, 'Hello'],
  [{ transcript: 'Hel', interruptedAtMs: 420 }, 'Hel\n[Cut short after 420 ms]'],
  [{ interruptedAtMs: 420 }, ''],
  [{}, ''],
])('returns the transcript of a speech part: %j', (fields, expected) => {
  expect(renderSpeech({ kind: 'speech', speaker: 'assistant', ...fields })).toBe(expected);
});
