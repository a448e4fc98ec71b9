import type { JsonValue } from '../../src/internal/json.ts';
import type { Ledger, LedgerClaim, LedgerKey } from '../../src/ledger/ledger.ts';
import { nextTurn } from '../../src/testing/fake-clock.ts';
import { present } from '../support/present.ts';
import type { Bug } from './buggy-ledger.ts';

const RUN_AGAIN = { kind: 'run-again' } as const;

/** Conversions of keys that lose information. */
function withKeys(change: (key: LedgerKey) => LedgerKey): Bug {
  const changed = (claim: LedgerClaim) => ({ ...claim, key: change(claim.key) });
  return (real) => ({
    async claim(key, options) {
      const said = await real.claim(change(key), options);
      return said.state === 'held' ? { ...said, claim: { ...said.claim, key } } : said;
    },
    extend: (claim, lease) => real.extend(changed(claim), lease),
    release: (claim) => real.release(changed(claim)),
    settle: (claim, outcome) => real.settle(changed(claim), outcome),
    doubt: (claim, reason) => real.doubt(changed(claim), reason),
    record: (key, entry) => real.record(change(key), entry),
    resolve: (claim, resolution) => real.resolve(changed(claim), resolution),
    read: (key) => real.read(change(key)),
  });
}

/** Claims a key that was free at an earlier read, without comparing again. */
async function claimByReading(real: Ledger, ...[key, options]: Parameters<Ledger['claim']>) {
  const before = await real.read(key);
  await nextTurn();
  const said = await real.claim(key, options);
  if (before !== undefined || said.state === 'held') return said;
  return { state: 'held', claim: { key, attempt: `also-${Math.random()}` } } as const;
}

let handles = 0;

/** Ledgers with one bug each, and a case that must detect it. */
export const bugs: Readonly<Record<string, readonly [Bug, string]>> = {
  'a claim that is not atomic': [
    (real) => ({ claim: (...args) => claimByReading(real, ...args) }),
    'lets exactly one of 100 concurrent callers claim a key',
  ],
  'a claim that is atomic in one process only': [
    (real) => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        claim(...args) {
          const claim = last.then(() => claimByReading(real, ...args));
          last = claim;
          return claim;
        },
      };
    },
    'lets exactly one of 100 concurrent callers claim a key through several handles',
  ],
  'a lease that frees': [
    (real) => ({
      async claim(key, options) {
        const said = await real.claim(key, options);
        if (said.state !== 'doubt' || !said.reason.includes('lease')) return said;
        await real.resolve(said.claim, RUN_AGAIN);
        return real.claim(key, options);
      },
    }),
    'reports a claim with an expired lease as in doubt, and never frees it',
  ],
  'a lease that never ends': [
    (real) => ({ claim: (key, options) => real.claim(key, { ...options, lease: 1e12 }) }),
    'reports an expired lease as in doubt through every handle',
  ],
  'a lease that only gets longer': [
    (real) => ({ extend: (claim, lease) => real.extend(claim, Math.max(lease, 3_600_000)) }),
    'lets the owner shorten its lease',
  ],
  'an extension that does nothing': [
    () => ({ extend: async () => 'extended' }),
    'keeps a claim busy while its owner extends it',
  ],
  'an extension without compare': [
    (real) => ({
      async extend(claim, lease) {
        await real.extend(claim, lease);
        return 'extended';
      },
    }),
    'does not extend a claim that is over',
  ],
  'an extension that is too late after the lease': [
    (real) => ({
      extend: async (claim, lease) =>
        (await real.read(claim.key))?.state === 'doubt' ? 'lost' : real.extend(claim, lease),
    }),
    'lets the owner extend an expired lease',
  ],
  'a settle without compare': [
    (real, { ownerOf, overwrite }) => ({
      async settle(claim, outcome) {
        await real.settle(ownerOf(claim.key), outcome);
        overwrite(claim.key, outcome);
        return 'settled';
      },
    }),
    'does not settle an attempt that was resolved as run-again',
  ],
  'a settle that says it worked': [
    (real) => ({
      async settle(claim, outcome) {
        await real.settle(claim, outcome);
        return 'settled';
      },
    }),
    'does not settle an attempt that was resolved with an outcome',
  ],
  'a settle that does nothing': [
    () => ({ settle: async () => 'settled' }),
    'returns the outcome of a settled claim to every caller',
  ],
  'a settle that works once': [
    (real) => ({
      settle: async (claim, outcome) =>
        (await real.read(claim.key))?.state === 'settled' ? 'lost' : real.settle(claim, outcome),
    }),
    'settles an attempt once, and reports it as settled again',
  ],
  'a settle that is too late after the lease': [
    (real) => ({
      settle: async (claim, outcome) =>
        (await real.read(claim.key))?.state === 'doubt' ? 'lost' : real.settle(claim, outcome),
    }),
    'settles after the lease expired',
  ],
  'a settle that reads and then writes': [
    (real, { overwrite }) => ({
      async settle(claim, outcome) {
        const state = (await real.read(claim.key))?.state;
        await nextTurn();
        if (state === 'doubt') overwrite(claim.key, outcome);
        return state === 'doubt' ? 'settled' : real.settle(claim, outcome);
      },
    }),
    'accepts either a late outcome or a resolution, not both',
  ],
  'a release without compare': [
    (real, { ownerOf }) => ({ release: (claim) => real.release(ownerOf(claim.key)) }),
    'frees a released key',
  ],
  'a release that does nothing': [() => ({ release: async () => {} }), 'frees a released key'],
  'a release that is too late after the lease': [
    (real) => ({
      async release(claim) {
        if ((await real.read(claim.key))?.state === 'busy') await real.release(claim);
      },
    }),
    'frees a key that is released after its lease expired',
  ],
  'a release out of a doubt': [
    (real) => ({
      async release(claim) {
        await real.release(claim);
        await real.resolve(claim, RUN_AGAIN);
      },
    }),
    'does not free a key that is settled, in doubt or resolved',
  ],
  'a doubt without compare': [
    (real, { ownerOf }) => ({ doubt: (claim, reason) => real.doubt(ownerOf(claim.key), reason) }),
    'does not mark a claim that is over as in doubt',
  ],
  'a doubt that frees': [
    (real) => ({ doubt: (claim) => real.release(claim) }),
    'returns the reason of a doubt, and frees nothing',
  ],
  'a doubt with another reason than the first': [
    (real) => {
      const reasons = new Map<string, string>();
      return {
        async doubt(claim, reason) {
          reasons.set(claim.attempt, reason);
          await real.doubt(claim, reason);
        },
        async read(key) {
          const said = await real.read(key);
          const reason = said?.state === 'doubt' ? reasons.get(said.claim.attempt) : undefined;
          return said?.state === 'doubt' ? { ...said, reason: reason ?? said.reason } : said;
        },
      };
    },
    'keeps the first reason of a doubt',
  ],
  'a doubt that comes too late after the lease': [
    (real) => ({
      async doubt(claim, reason) {
        if ((await real.read(claim.key))?.state === 'busy') await real.doubt(claim, reason);
      },
    }),
    'lets the owner set a reason after its lease expired',
  ],
  'a record that overwrites': [
    (_, { overwrite }) => ({
      async record(key, { outcome }) {
        overwrite(key, outcome);
        return { state: 'recorded' };
      },
    }),
    'does not record over a claim, a doubt or an outcome',
  ],
  'a record that is not atomic': [
    (real, { overwrite }) => ({
      async record(key, entry) {
        if (await real.read(key)) return real.record(key, entry);
        await nextTurn();
        overwrite(key, entry.outcome);
        return { state: 'recorded' };
      },
    }),
    'accepts exactly one of 50 concurrent claims and 50 records',
  ],
  'a record that nobody keeps': [
    () => ({ record: async () => ({ state: 'recorded' }) }),
    'returns a recorded outcome to a caller that claims the key',
  ],
  'a record that counts the second time': [
    (real, { overwrite }) => ({
      async record(key, entry) {
        const said = await real.record(key, entry);
        if (said.state === 'settled') overwrite(key, entry.outcome);
        return said;
      },
    }),
    'records only the first outcome',
  ],
  'a resolve without compare': [
    (real) => ({
      async resolve(claim, resolution) {
        const said = await real.read(claim.key);
        return said?.state === 'doubt' ? real.resolve(said.claim, resolution) : 'lost';
      },
    }),
    'does not apply the resolution of one attempt to a later attempt',
  ],
  'a resolve that interrupts': [
    (real) => ({
      async resolve(claim, resolution) {
        await real.doubt(claim, 'interrupted');
        return real.resolve(claim, resolution);
      },
    }),
    'does not resolve a key that is not in doubt',
  ],
  'a resolve that is not atomic': [
    (real) => ({
      async resolve(claim, resolution) {
        const said = await real.read(claim.key);
        if (said?.state !== 'doubt' || said.claim.attempt !== claim.attempt) return 'lost';
        await nextTurn();
        await real.resolve(claim, resolution);
        return 'resolved';
      },
    }),
    'accepts exactly one of several concurrent resolutions',
  ],
  'a resolve that does nothing': [
    () => ({ resolve: async () => 'resolved' }),
    'frees a call in doubt that is resolved as run-again',
  ],
  'a resolve that does not know outcomes': [
    (real) => ({ resolve: (claim) => real.resolve(claim, RUN_AGAIN) }),
    'settles a call in doubt that is resolved with an outcome',
  ],
  'digests that nobody looks at': [
    (real) => ({ claim: (key, { lease }) => real.claim(key, { lease }) }),
    'reports a conflict between two digests in every state',
  ],
  'digests that have to be there': [
    (real) => ({ claim: (key, { digest = '', lease }) => real.claim(key, { digest, lease }) }),
    'reports no conflict for the same digest or a missing one',
  ],
  'digests without regard to case': [
    (real) => ({
      claim: (key, { digest, lease }) => real.claim(key, { digest: digest?.toLowerCase(), lease }),
    }),
    'distinguishes all digests, also hostile ones',
  ],
  'keys that are joined': [
    withKeys(({ step, slot }) => ({ step: `${step}:${slot}`, slot: '' })),
    'distinguishes all keys, also hostile ones',
  ],
  'keys without regard to case': [
    withKeys(({ step, slot }) => ({ step: step.toLowerCase(), slot })),
    'distinguishes all keys, also hostile ones',
  ],
  'keys in UTF-8': [
    withKeys(({ step, slot }) => ({ step: Buffer.from(step).toString(), slot })),
    'distinguishes all keys, also hostile ones',
  ],
  'attempts with the same name': [
    (real) => ({
      async claim(key, options) {
        const said = await real.claim(key, options);
        return said.state === 'held' ? { ...said, claim: { key, attempt: '1' } } : said;
      },
    }),
    'gives every attempt a unique name',
  ],
  'an entry where there is none': [
    (real) => ({
      read: async (key) => (await real.read(key)) ?? { state: 'settled', outcome: null },
    }),
    'returns undefined for a key that was never claimed',
  ],
  'a lease in seconds': [
    (real) => ({
      claim: (key, { digest, lease }) => real.claim(key, { digest, lease: lease / 1000 }),
    }),
    'lets the first caller claim a free key, and reports it as busy to all others',
  ],
  'outcomes that lose members': [
    (real) => ({
      settle: (claim, outcome) =>
        real.settle(claim, isObject(outcome) ? Object.assign({}, outcome) : outcome),
    }),
    'returns outcomes unchanged',
  ],
  'outcomes that are not copied': [
    (real, { overwrite }) => ({
      async settle(claim, outcome) {
        const said = await real.settle(claim, outcome);
        if (said === 'settled') overwrite(claim.key, outcome);
        return said;
      },
    }),
    'is not affected by later changes of the arguments',
  ],
  'outcomes that can be changed': [
    (real) => {
      const changeable = new Map<string, JsonValue>();
      return {
        async read(key) {
          const said = await real.read(key);
          if (said?.state !== 'settled') return said;
          const id = JSON.stringify(key);
          if (!changeable.has(id)) changeable.set(id, structuredClone(said.outcome));
          return { ...said, outcome: present(changeable.get(id)) };
        },
      };
    },
    'is not affected by changes of a returned outcome',
  ],
  'a handle that sees only what it did itself': [
    (real) => {
      const seen = new Set<string>();
      return {
        async claim(key, options) {
          seen.add(key.slot);
          return real.claim(key, options);
        },
        read: async (key) => (seen.has(key.slot) ? real.read(key) : undefined),
      };
    },
    'shares changes between all handles',
  ],
  'the claim to know everything': [
    () => ({ retainedSince: () => 0 }),
    'does not report knowledge from before it was created',
  ],
  'a handle that knows nothing from before it': [
    (real) => {
      const opened = handles++;
      return { retainedSince: async () => (await real.retainedSince()) + opened };
    },
    'reports the same start of its knowledge through a later handle',
  ],
  'more that is forgotten than is said': [
    (real) => {
      const first = real.retainedSince();
      return { retainedSince: () => first };
    },
    'contains every entry since the time that it reports, during and after the retention',
  ],
  'entries that are gone after a while': [
    (real) => {
      let reads = 0;
      return { read: async (key) => (++reads > 2 ? undefined : real.read(key)) };
    },
    'contains every entry since the time that it reports',
  ],
};

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
