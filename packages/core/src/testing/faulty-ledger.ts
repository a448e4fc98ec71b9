import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import type { Ledger, LedgerClaim, LedgerKey } from '../ledger/ledger.ts';

/** A failure of a ledger. */
export interface LedgerFault {
  /** The index of the operation, in the order in which operations start. */
  readonly index: number;
  /** `before` the operation takes effect, or `after` it, so that only its result is lost. */
  readonly when: 'before' | 'after';
  /**
   * `throw`: the operation fails. `hang`: the operation and all later ones wait until `resume` is called, like
   * those of a paused process. Without a call of `resume` they are like those of a killed process.
   */
  readonly kind: 'throw' | 'hang';
}

const LEDGER_FAULT_OPTIONS: OptionTable<LedgerFault> = {
  index: 'number',
  when: ['before', 'after'],
  kind: ['throw', 'hang'],
};

/** A started operation of a ledger. */
export interface LedgerOperation {
  readonly name: keyof Ledger;
  /** The key of the operation; `undefined` for `retainedSince`. */
  readonly key: LedgerKey | undefined;
}

/** A ledger that fails at one operation. */
export interface FaultyLedger extends Ledger {
  /** The operations that have started, in order. */
  readonly operations: readonly LedgerOperation[];
  /** True if the fault has occurred. */
  readonly hasStruck: boolean;
  /** Resolves when the fault occurs. */
  readonly struck: Promise<void>;
  /** Continues the operations that hang. */
  resume(): void;
}

/** The error of an operation that fails by a {@link LedgerFault}. */
export class LedgerFaultError extends Error {
  override name = 'LedgerFaultError';
  readonly code = 'ledger-fault';
  readonly operation: LedgerOperation;

  constructor(operation: LedgerOperation, { index, when }: LedgerFault) {
    super(
      `The ledger failed as planned, ${when} operation ${index}: \`${operation.name}\` of ` +
        `${JSON.stringify(operation.key)}.`,
    );
    this.operation = operation;
  }
}

/**
 * Wraps a ledger for one process that fails: its connection breaks, it pauses, or it is killed. Other processes
 * use the wrapped ledger.
 *
 * Without a fault it records the operations, which are the possible positions of faults.
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
 *   // Another process tries, and the first one continues.
 *   await resume(ledger).catch(() => {});
 *   faulty.resume();
 *   // The effect must have occurred at most once.
 * }
 * ```
 */
export function faultyLedger(ledger: Ledger, fault?: LedgerFault): FaultyLedger {
  checkOptions('the fault of `faultyLedger`', fault, LEDGER_FAULT_OPTIONS);
  return new FaultInjector(ledger, fault);
}

/** Returns every possible fault of a run that starts these operations. */
export function everyFault(operations: readonly LedgerOperation[]): readonly LedgerFault[] {
  return operations.flatMap((_, index) => [
    { index, when: 'before', kind: 'throw' },
    { index, when: 'after', kind: 'throw' },
    { index, when: 'before', kind: 'hang' },
    { index, when: 'after', kind: 'hang' },
  ]);
}

class FaultInjector implements FaultyLedger {
  readonly operations: LedgerOperation[] = [];
  readonly struck: Promise<void>;
  hasStruck = false;
  readonly #ledger: Ledger;
  readonly #fault: LedgerFault | undefined;
  readonly #resumed: Promise<void>;
  #resolveStruck: () => void = () => {};
  #resolveResumed: () => void = () => {};

  constructor(ledger: Ledger, fault: LedgerFault | undefined) {
    this.#ledger = ledger;
    this.#fault = fault;
    this.struck = new Promise((resolve) => {
      this.#resolveStruck = resolve;
    });
    this.#resumed = new Promise((resolve) => {
      this.#resolveResumed = resolve;
    });
  }

  resume(): void {
    this.#resolveResumed();
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
    const index = this.operations.push(operation) - 1;
    if (this.hasStruck && this.#fault?.kind === 'hang') await this.#resumed;
    if (this.#fault?.index !== index) return action();
    if (this.#fault.when === 'before') await this.#strike(operation, this.#fault);
    const result = await action();
    if (this.#fault.when === 'after') await this.#strike(operation, this.#fault);
    return result;
  }

  async #strike(operation: LedgerOperation, fault: LedgerFault): Promise<void> {
    this.hasStruck = true;
    this.#resolveStruck();
    if (fault.kind === 'throw') throw new LedgerFaultError(operation, fault);
    await this.#resumed;
  }
}
