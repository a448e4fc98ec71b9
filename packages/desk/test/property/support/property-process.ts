// Plays random stories on SQLite in memory, and prints what happened in them:
// node property-process.ts <number of cases> <seed>
import { sqliteStore } from '@holdpoint/desk';
import { checkProperty } from './check-property.ts';
import { TestClock } from './test-clock.ts';

const [cases = '', seed = ''] = process.argv.slice(2);

const tally = await checkProperty(
  {
    async open() {
      const clock = new TestClock();
      return { store: await sqliteStore({ now: clock.now }), clock };
    },
    storiesPerStore: 40,
  },
  { cases: Number(cases), seed: Number(seed) },
);
console.log(JSON.stringify(tally));
