import type { CallResponse } from './answer.ts';
import { readResult } from './json-text.ts';
import { BACK, type Back } from './prompter.ts';
import type { Questioner } from './questioner.ts';

/** Has somebody write what a call has given. */
export async function askResult({ screen, prompter }: Questioner): Promise<CallResponse | Back> {
  const written = await prompter.write({
    message: 'Its result, as JSON or as text. Enter: done. Esc: back.',
    problem: (text) => {
      const read = readResult(text);
      return read.ok ? undefined : read.problem;
    },
  });
  if (written === BACK) return BACK;
  const read = readResult(written);
  if (!read.ok) return BACK; // it was looked at before it was accepted
  const kind = typeof read.value === 'string' ? 'text' : 'JSON';
  screen.block([{ text: `The model gets this as ${kind}.`, style: 'dim' }]);
  return { kind: 'result', answer: read.value };
}
