import type { Readable } from 'node:stream';
import { quitError } from './quit.ts';
import { setRaw } from './terminal-streams.ts';

/** Long enough for the terminal to hand over what it has kept. */
const MOMENT = 30;
const CTRL_C = '\u0003';

/**
 * Throws away what was typed before the question was there to be read: nobody approves by a key that
 * was meant for something else. Ctrl-C counts all the same.
 */
export async function discardTyped(input: Readable): Promise<void> {
  let wantsToQuit = false;
  const listen = (data: Buffer | string) => {
    if (data.toString().includes(CTRL_C)) wantsToQuit = true;
  };
  setRaw(input, true);
  input.on('data', listen);
  input.resume();
  try {
    await new Promise((resolve) => setTimeout(resolve, MOMENT));
  } finally {
    input.off('data', listen);
    input.pause();
    setRaw(input, false);
  }
  if (wantsToQuit) throw quitError();
}
