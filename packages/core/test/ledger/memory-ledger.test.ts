import { describe, it } from 'vitest';
import { MemoryLedger } from '../../src/ledger/memory-ledger.ts';
import { describeLedger } from '../../src/testing/describe-ledger.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';

function open(retention?: number) {
  const clock = fakeClock();
  return { ledger: new MemoryLedger({ now: () => clock.now(), retention }), clock };
}

describeLedger(
  'the memory ledger',
  {
    open: () => open(),
    // All handles of a process share one object.
    openAnother: (first) => ({ ledger: first.ledger }),
    openForgetful: open,
  },
  { describe, it },
);

describeLedger(
  'the memory ledger by the clock of the machine',
  { open: () => ({ ledger: new MemoryLedger() }) },
  { describe, it },
);
