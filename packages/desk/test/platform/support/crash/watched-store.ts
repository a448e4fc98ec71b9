import type { AuditKind, Store, Tx } from '@holdpoint/desk';
import type { Doom } from './doom.ts';
import type { Point } from './fate.ts';

/** What is written into an audit says what a transaction is about. */
const NOTED: Readonly<Partial<Record<AuditKind, Point>>> = {
  'run-started': 'start',
  'run-begun': 'begin',
  'run-parked': 'park',
  'run-finished': 'finish',
  'hold-answered': 'answer',
  'call-started': 'call',
  'call-settled': 'settle',
};

/** A store in which a process meets its fate: right before a transaction is committed, or right after. */
export function watchedStore(store: Store, doom: Doom): Store {
  return {
    async write(work) {
      let watched: WatchedTx | undefined;
      const result = await doom.transact(() =>
        store.write(async (tx) => {
          watched = new WatchedTx(tx);
          const done = await work(watched);
          if (watched.point !== undefined) doom.inside(watched.point);
          return done;
        }),
      );
      const { point, runId } = watched ?? {};
      if (point !== undefined) await doom.outside(point, 'after', { runId });
      return result;
    },
    read: (work) => store.read(work),
    // Nothing depends on being woken.
    onDue: () => () => {},
    forgetBefore: (time) => store.forgetBefore(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

class WatchedTx implements Tx {
  point: Point | undefined;
  /** The run that it is about. */
  runId: string | undefined;
  readonly #tx: Tx;

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  now(): Promise<number> {
    return this.#tx.now();
  }

  ledgerKnowsSince(): Promise<number> {
    return this.#tx.ledgerKnowsSince();
  }

  eventConsumerSeenAt(): Promise<number> {
    return this.#tx.eventConsumerSeenAt();
  }

  noteEventConsumer(): Promise<void> {
    return this.#tx.noteEventConsumer();
  }

  forgottenBefore(): Promise<number> {
    return this.#tx.forgottenBefore();
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

  get secrets(): Tx['secrets'] {
    return this.#tx.secrets;
  }

  get answers(): Tx['answers'] {
    return this.#tx.answers;
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
        this.point = NOTED[row.kind] ?? this.point;
        this.runId = row.runId;
        return audit.append(row);
      },
    };
  }
}
