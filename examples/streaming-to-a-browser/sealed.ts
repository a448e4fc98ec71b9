import { randomBytes } from 'node:crypto';
import { sealedRuns } from 'holdpoint/sealed';
import { ledger } from './agent.ts';

/**
 * Runs that wait are kept by the page, as tokens that it can neither read nor change. With a key from
 * the environment they outlive the server.
 */
export const sealed = sealedRuns({
  keys: { main: process.env['SEAL_KEY'] || randomBytes(32) },
  audience: 'dictionary',
  expiresIn: 60 * 60 * 1000,
  ledger,
});
