import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import type { Ledger, LedgerClaim } from '../ledger/ledger.ts';
import type { LedgerKey } from '../ledger/ledger-key.ts';

/** Where a ledger fails, and how. */
export interface LedgerFault {
  /** The operation, counted from 0 in the order in which they are started. */
  readonly at: number;
  /** `before` the operation has its effect, or `after` it, so that only the answer is lost. */
  readonly when: 'before' | 'after';
  /**
   * `throw`: this one operation fails. `hang`: this one and all that are started later wait until
   * `resume` is called, as if the process stood still; if nobody calls it, the process has died.
   */
  readonly kind: 'throw' | 'hang';
}

const FAULT: OptionTable<LedgerFault> = {
  at: 'number',
  when: ['before', 'after'],
  kind: ['throw', 'hang'],
};

/** An operation that was started. */
export interface LedgerOperation {
  readonly name: keyof Ledger;
  /** What it was about; `undefined` for `retainedSince`. */
  readonly key: LedgerKey | undefined;
}

/** A ledger that fails at one place. */
export interface FaultyLedger extends Ledger {
  /** What was started so far, in that order. */
  readonly operations: readonly LedgerOperation[];
  /** Whether the fault has come. */
  readonly hasStruck: boolean;
  /** Fulfils when the fault comes. */
  readonly struck: Promise<void>;
  /** Lets the operations go on that hang, late as they are. */
  resume(): void;
}

/** What a ledger throws where it was told to fail. */
export class LedgerFaultError extends Error {
  override name = 'LedgerFaultError';
  readonly code = 'ledger-fault';
  readonly operation: LedgerOperation;

  constructor(operation: LedgerOperation, { at, when }: LedgerFault) {
    super(
      `The ledger was told to fail ${when} operation ${at}, ${operation.name} of ` +
        `${JSON.stringify(operation.key)}.`,
    );
    this.operation = operation;
  }
}

/**
 * A ledger as one process has it to which something happens: its connection breaks, it stands still,
 * or it dies. The ledger behind it is what the other processes have.
 *
 * Without a fault it only counts: what a clean run starts is where faults can be.
 *
 * @example
 * ```ts
 * const clean = faultyLedger(new MemoryLedger());
 * await resume(clean);
 *
 * for (const fault of everyFault(clean.operations)) {
 *   const ledger = new MemoryLedger();
 *   const faulty = faultyLedger(ledger, fault);
 *   await Promise.race([resume(faulty).catch(() => {}), faulty.struck]);
 *   // Somebody else tries, and the first one comes back.
 *   await resume(ledger).catch(() => {});
 *   faulty.resume();
 *   // Now the effect must be there once at most.
 * }
 * ```
 */
export function faultyLedger(ledger: Ledger, fault?: LedgerFault): FaultyLedger {
  checkOptions('the fault of `faultyLedger`', fault, FAULT);
  return new Injector(ledger, fault);
}

/** Every fault that there can be in a run that starts these operations. */
export function everyFault(operations: readonly LedgerOperation[]): readonly LedgerFault[] {
  return operations.flatMap((_, at) => [
    { at, when: 'before', kind: 'throw' },
    { at, when: 'after', kind: 'throw' },
    { at, when: 'before', kind: 'hang' },
    { at, when: 'after', kind: 'hang' },
  ]);
}

class Injector implements FaultyLedger {
  readonly operations: LedgerOperation[] = [];
  readonly struck: Promise<void>;
  hasStruck = false;
  readonly #ledger: Ledger;
  readonly #fault: LedgerFault | undefined;
  readonly #resumed: Promise<void>;
  #tellStruck: () => void = () => {};
  #tellResumed: () => void = () => {};

  constructor(ledger: Ledger, fault: LedgerFault | undefined) {
    this.#ledger = ledger;
    this.#fault = fault;
    this.struck = new Promise((resolve) => {
      this.#tellStruck = resolve;
    });
    this.#resumed = new Promise((resolve) => {
      this.#tellResumed = resolve;
    });
  }

  resume(): void {
    this.#tellResumed();
  }

  async retainedSince(): Promise<number> {
    return this.#operate('retainedSince', undefined, () => this.#ledger.retainedSince());
  }

  claim(...[key, options]: Parameters<Ledger['claim']>): ReturnType<Ledger['claim']> {
    return this.#operate('claim', key, () => this.#ledger.claim(key, options));
  }

  extend(claim: LedgerClaim, lease: number): ReturnType<Ledger['extend']> {
    return this.#operate('extend', claim.key, () => this.#ledger.extend(claim, lease));
  }

  release(claim: LedgerClaim): ReturnType<Ledger['release']> {
    return this.#operate('release', claim.key, () => this.#ledger.release(claim));
  }

  settle(...[claim, outcome]: Parameters<Ledger['settle']>): ReturnType<Ledger['settle']> {
    return this.#operate('settle', claim.key, () => this.#ledger.settle(claim, outcome));
  }

  doubt(claim: LedgerClaim, reason: string): ReturnType<Ledger['doubt']> {
    return this.#operate('doubt', claim.key, () => this.#ledger.doubt(claim, reason));
  }

  record(...[key, entry]: Parameters<Ledger['record']>): ReturnType<Ledger['record']> {
    return this.#operate('record', key, () => this.#ledger.record(key, entry));
  }

  resolve(...[claim, resolution]: Parameters<Ledger['resolve']>): ReturnType<Ledger['resolve']> {
    return this.#operate('resolve', claim.key, () => this.#ledger.resolve(claim, resolution));
  }

  read(key: LedgerKey): ReturnType<Ledger['read']> {
    return this.#operate('read', key, () => this.#ledger.read(key));
  }

  async #operate<T>(
    name: keyof Ledger,
    key: LedgerKey | undefined,
    action: () => T | Promise<T>,
  ): Promise<T> {
    const operation = Object.freeze({ name, key });
    const at = this.operations.push(operation) - 1;
    if (this.hasStruck && this.#fault?.kind === 'hang') await this.#resumed;
    if (this.#fault?.at !== at) return action();
    if (this.#fault.when === 'before') await this.#strike(operation, this.#fault);
    const result = await action();
    if (this.#fault.when === 'after') await this.#strike(operation, this.#fault);
    return result;
  }

  async #strike(operation: LedgerOperation, fault: LedgerFault): Promise<void> {
    this.hasStruck = true;
    this.#tellStruck();
    if (fault.kind === 'throw') throw new LedgerFaultError(operation, fault);
    await this.#resumed;
  }
}
