import { afterEach, beforeEach } from 'vitest';
import { present } from './present.ts';
import { type ProviderServer, startProviderServer } from './provider-server.ts';

/** The server of the current test. */
export type TestServer = Omit<ProviderServer, typeof Symbol.asyncDispose>;

/** Starts a server before each test of the file, and stops it afterwards. */
export function serverForEachTest(): TestServer {
  let current: ProviderServer | undefined;
  beforeEach(async () => {
    current = await startProviderServer();
  });
  afterEach(() => current?.[Symbol.asyncDispose]());

  return {
    get requests() {
      return present(current).requests;
    },
    get hungUp() {
      return present(current).hungUp;
    },
    script: (...responses) => present(current).script(...responses),
    model: (provider) => present(current).model(provider),
  };
}
