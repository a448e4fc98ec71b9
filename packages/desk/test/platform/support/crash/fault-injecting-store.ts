import type { AuditKind, Store, Tx } from '@holdpoint/desk';
import type { FaultInjector } from './fault-injector.ts';
import type { Point } from './fault.ts';

/** The point of a transaction, by the audit entry that it appends. */
const POINT_OF_ENTRY: Readonly<Partial<Record<AuditKind, Point>>> = {
  'run-started': 'start',
  'run-claimed': 'begin',
  'run-parked': 'park',
  'run-finished': 'finish',
  'hold-decided': 'decision',
  'call-started': 'call',
  'call-settled': 'settle',
};

/** A store that injects the fault of its process right before or right after a commit. */
export function faultInjectingStore(
  store: Store,
  faults: Pick<FaultInjector, 'transact' | 'inside' | 'outside'>,
): Store {
  return {
    async write(work, options) {
      let observed: ObservedTx | undefined;
      const result = await faults.transact(() =>
        store.write(async (tx) => {
          observed = new ObservedTx(tx);
          const done = await work(observed);
          if (observed.point !== undefined) faults.inside(observed.point);
          return done;
        }, options),
      );
      const { point, runId } = observed ?? {};
      if (point !== undefined) await faults.outside(point, 'after', { runId });
      return result;
    },
    read: (work, options) => store.read(work, options),
    // Workers must find their tasks without notifications.
    onDue: () => () => {},
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

class ObservedTx implements Tx {
  point: Point | undefined;
  runId: string | undefined;
  readonly #tx: Tx;

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  now(): Promise<number> {
    return this.#tx.now();
  }

  stats(): ReturnType<Tx['stats']> {
    return this.#tx.stats();
  }

  ledgerKnowsSince(): Promise<number> {
    return this.#tx.ledgerKnowsSince();
  }

  recordEventConsumer(): Promise<void> {
    return this.#tx.recordEventConsumer();
  }

  restoredFromBackupAt(): Promise<number> {
    return this.#tx.restoredFromBackupAt();
  }

  get inputs(): Tx['inputs'] {
    return this.#tx.inputs;
  }

  get runs(): Tx['runs'] {
    return this.#tx.runs;
  }

  get conversations(): Tx['conversations'] {
    return this.#tx.conversations;
  }

  get holds(): Tx['holds'] {
    return this.#tx.holds;
  }

  get retention(): Tx['retention'] {
    return this.#tx.retention;
  }

  get secrets(): Tx['secrets'] {
    return this.#tx.secrets;
  }

  get decisions(): Tx['decisions'] {
    return this.#tx.decisions;
  }

  get comments(): Tx['comments'] {
    return this.#tx.comments;
  }

  get delegations(): Tx['delegations'] {
    return this.#tx.delegations;
  }

  get grants(): Tx['grants'] {
    return this.#tx.grants;
  }

  get outbox(): Tx['outbox'] {
    return this.#tx.outbox;
  }

  get entries(): Tx['entries'] {
    return this.#tx.entries;
  }

  get tokens(): Tx['tokens'] {
    return this.#tx.tokens;
  }

  get deliveries(): Tx['deliveries'] {
    return this.#tx.deliveries;
  }

  get messages(): Tx['messages'] {
    const { messages } = this.#tx;
    return {
      from: (...args) => messages.from(...args),
      count: (...args) => messages.count(...args),
      replaceFrom: (...args) => {
        this.point ??= 'checkpoint';
        return messages.replaceFrom(...args);
      },
    };
  }

  get tasks(): Tx['tasks'] {
    const { tasks } = this.#tx;
    return {
      get: (...key) => tasks.get(...key),
      lock: (...key) => {
        const [, kind, id] = key;
        if (kind === 'run') this.runId = id;
        return tasks.lock(...key);
      },
      insert: (row) => tasks.insert(row),
      put: (row) => tasks.put(row),
      remove: (...key) => tasks.remove(...key),
      revoke: (...key) => tasks.revoke(...key),
      givenUp: (...args) => tasks.givenUp(...args),
      givenUpBefore: (...args) => tasks.givenUpBefore(...args),
      overdue: (...args) => tasks.overdue(...args),
      claim: async (...args) => {
        const claim = await tasks.claim(...args);
        if (claim?.kind !== 'run') return claim;
        this.point = 'claim';
        this.runId = claim.id;
        return claim;
      },
    };
  }

  get audit(): Tx['audit'] {
    const { audit } = this.#tx;
    return {
      ofRun: (...args) => audit.ofRun(...args),
      append: (row) => {
        this.point = POINT_OF_ENTRY[row.kind] ?? this.point;
        this.runId = row.runId;
        return audit.append(row);
      },
    };
  }
}
