import { auditHash, isCommitted } from '../model/audit-chain.ts';
import type { AuditRow } from '../model/audit-row.ts';
import type { AuditProblems } from './audit-problem.ts';
import type { SignedHeads } from './signed-heads.ts';

/** Verifies the entries of one run one by one. Only the last number and hash are in memory. */
export class RunChain {
  readonly #runId: string;
  readonly #signed: SignedHeads;
  readonly #problems: AuditProblems;
  #number = 0;
  #hash = '';
  /** The last entry whose person was erased and that no later entry accounts for. */
  #erased: number | undefined;

  constructor(runId: string, signed: SignedHeads, problems: AuditProblems) {
    this.#runId = runId;
    this.#signed = signed;
    this.#problems = problems;
  }

  /** Validates the next entry. */
  follow(entry: AuditRow): void {
    const at = { runId: this.#runId, number: entry.number };
    const hash = hashOfEntry(entry);
    if (hash !== entry.hash) {
      this.#problems.add('edited', `${name(at)} does not match its own hash.`, at);
    }
    if (this.#signed.hashesOf(at.runId, at.number).some((signed) => signed !== hash)) {
      const message = `${name(at)} is not the signed one. It, or an entry before it, was rewritten.`;
      this.#problems.add('rewritten', message, at);
    }
    if (this.#signed.isBackdated(entry)) {
      const message = `${name(at)} has a time before a checkpoint that does not contain it.`;
      this.#problems.add('backdated', message, at);
    }
    if (isCommitted(entry) && entry.by === undefined) this.#erased = entry.number;
    if (entry.kind === 'data-erased' && entry.data['part'] === 'person') this.#erased = undefined;
    this.#checkPosition(entry);
  }

  /** Reports a person who was removed without an entry about the erasure. */
  requireErasureRecord(): void {
    if (this.#erased === undefined) return;
    const at = { runId: this.#runId, number: this.#erased };
    const message = `The person of ${name(at)} was removed, and no later entry records the erasure.`;
    this.#problems.add('edited', message, at);
  }

  /** Reports signed entries that are missing at the end. */
  end(): void {
    const last = this.#signed.lastOf(this.#runId);
    if (this.#number === 0) {
      const message = `Run '${this.#runId}' has no entries, but ${last} were signed.`;
      this.#problems.add('missing-run', message, { runId: this.#runId });
    } else if (this.#number < last) this.#addMissing(last);
  }

  #checkPosition({ number, previous, hash }: AuditRow): void {
    const at = { runId: this.#runId, number };
    if (number <= this.#number) {
      const message = `${name(at)} comes after entry ${this.#number}: it was moved or duplicated.`;
      this.#problems.add('out-of-order', message, at);
      return;
    }
    if (number > this.#number + 1) this.#addMissing(number - 1);
    else if (previous !== this.#hash) {
      const message = `${name(at)} does not contain the hash of the entry before it.`;
      this.#problems.add('broken-chain', message, at);
    }
    this.#number = number;
    this.#hash = hash;
  }

  #addMissing(last: number): void {
    const at = { runId: this.#runId, number: this.#number + 1 };
    const which = at.number === last ? `Entry ${last}` : `Entries ${at.number} to ${last}`;
    this.#problems.add('missing', `${which} of run '${this.#runId}' cannot be found.`, at);
  }
}

function name({ runId, number }: { readonly runId: string; readonly number: number }): string {
  return `Entry ${number} of run '${runId}'`;
}

/** Returns the expected hash; `undefined` for values that are not JSON, such as infinite numbers. */
function hashOfEntry(entry: AuditRow): string | undefined {
  try {
    return auditHash(entry);
  } catch {
    return undefined;
  }
}
