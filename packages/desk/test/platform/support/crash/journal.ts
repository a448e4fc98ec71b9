import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** What a tool has done: this is the world outside, which no store can take back. */
export interface Effect {
  readonly name: string;
  readonly to: string;
  /** The run for which it was done, and the key that a payment service would be given. */
  readonly runId: string;
  readonly key: string;
}

/** Adds an effect to the file of all processes. It is there for everybody before this returns. */
export function addEffect(path: string, effect: Effect): void {
  const file = openSync(path, 'a');
  writeSync(file, `${JSON.stringify(effect)}\n`);
  fsyncSync(file);
  closeSync(file);
}

/** The effects so far; one that is being written is not there yet. */
export function readEffects(path: string): Effect[] {
  const text = readFileSync(path, 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line): Effect => JSON.parse(line));
}
