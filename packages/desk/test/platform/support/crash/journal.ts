import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** An effect of a tool outside of the store. */
export interface Effect {
  readonly name: string;
  readonly to: string;
  /** The run, and the idempotency key of the call. */
  readonly runId: string;
  readonly key: string;
}

/** Appends an effect to the file that all processes share, and syncs it. */
export function addEffect(path: string, effect: Effect): void {
  const file = openSync(path, 'a');
  writeSync(file, `${JSON.stringify(effect)}\n`);
  fsyncSync(file);
  closeSync(file);
}

/** Returns the effects that were written completely. */
export function readEffects(path: string): Effect[] {
  const text = readFileSync(path, 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line): Effect => JSON.parse(line));
}
