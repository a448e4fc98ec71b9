import { join } from 'node:path';
import { describe, it } from 'vitest';
import { describeLedger } from '../../src/testing/describe-ledger.ts';
import type { OpenedLedger } from '../../src/testing/ledger-cases/fixture.ts';
import { present } from '../support/present.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { FileLedger } from './file-ledger.ts';
import { ledgerInProcess } from './ledger-process.ts';

const paths = new WeakMap<OpenedLedger, string>();

async function open(retention?: number): Promise<OpenedLedger> {
  const folder = await tempFolder('ledger');
  const path = join(folder.path, 'ledger.sqlite');
  const ledger = new FileLedger(path, retention);
  const close = async () => {
    ledger.close();
    await folder[Symbol.asyncDispose]();
  };
  const opened = { ledger, close };
  paths.set(opened, path);
  return opened;
}

describeLedger(
  'a ledger in a file, shared by several processes',
  {
    open: () => open(),
    openAnother: (first) => ledgerInProcess(present(paths.get(first))),
    openForgetful: open,
  },
  { describe, it },
);
