import { randomBytes } from 'node:crypto';
import { sealedRuns } from 'holdpoint/sealed';
import { ledger } from './agent.ts';

/**
 * The page stores parked runs as tokens that it can neither read nor change. With a key from the
 * environment, they stay valid after a restart of the server.
 */
export const sealed = sealedRuns({
  keys: { main: process.env['SEAL_KEY'] || randomBytes(32) },
  audience: 'dictionary',
  expiresIn: 60 * 60 * 1000,
  ledger,
});
