import type { AuditHead } from './audit-head.ts';
import type { AuditCheckpoint } from './checkpoint.ts';

/** The largest difference between the time of an entry and its commit. */
const SLACK_MS = 60_000;

/** The heads of audits that checkpoints contain. */
export class SignedHeads {
  readonly #heads = new Map<string, AuditHead[]>();
  /** The last signed entries of runs. */
  readonly #last = new Map<string, number>();
  /** The times of the checkpoints of single runs. */
  readonly #until = new Map<string, number>();
  /** The time of the last checkpoint of all runs; `undefined` without one. */
  readonly allUntil: number | undefined;

  constructor(checkpoints: readonly AuditCheckpoint[]) {
    const times = checkpoints.flatMap((one) => (one.kind === 'tenant' ? [one.at] : []));
    this.allUntil = times.length === 0 ? undefined : Math.max(...times);
    for (const one of checkpoints) {
      if (one.kind === 'tenant') {
        for (const head of one.heads) this.#add(head);
      } else {
        this.#add(one);
        this.#until.set(one.runId, Math.max(one.at, this.#untilOf(one.runId)));
      }
    }
  }

  /** The signed runs. */
  get runIds(): Iterable<string> {
    return this.#heads.keys();
  }

  /** Returns the number of the last signed entry of a run; 0 if none is signed. */
  lastOf(runId: string): number {
    return this.#last.get(runId) ?? 0;
  }

  /** Returns the signed hashes of an entry. */
  hashesOf(runId: string, number: number): readonly string[] {
    const heads = this.#heads.get(runId) ?? [];
    return heads.filter((head) => head.number === number).map((head) => head.hash);
  }

  /** Returns whether an entry is older than a checkpoint that should contain it and does not. */
  isBackdated({ runId, number, at }: { runId: string; number: number; at: number }): boolean {
    return number > this.lastOf(runId) && at < this.#untilOf(runId) - SLACK_MS;
  }

  #untilOf(runId: string): number {
    const never = Number.NEGATIVE_INFINITY;
    return Math.max(this.#until.get(runId) ?? never, this.allUntil ?? never);
  }

  #add(head: AuditHead): void {
    const known = this.#heads.get(head.runId);
    if (known === undefined) this.#heads.set(head.runId, [head]);
    else known.push(head);
    this.#last.set(head.runId, Math.max(this.lastOf(head.runId), head.number));
  }
}
