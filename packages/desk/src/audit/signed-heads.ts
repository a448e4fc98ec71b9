import type { AuditHead } from './audit-head.ts';
import type { AuditCheckpoint } from './checkpoint.ts';

/** By how much an entry may seem older than it is: transactions end after they took the time. */
const SLACK_MS = 60_000;

/** The ends of audits that checkpoints contain. */
export class SignedHeads {
  readonly #heads = new Map<string, AuditHead[]>();
  /** How far the audits of runs are signed. */
  readonly #last = new Map<string, number>();
  /** Until when runs are signed by checkpoints of their own. */
  readonly #until = new Map<string, number>();
  /** Until when all runs are signed; `undefined` if they are not. */
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

  /** The runs that were signed. */
  get runIds(): Iterable<string> {
    return this.#heads.keys();
  }

  /** Up to which entry the audit of a run is signed; 0 if it is not. */
  lastOf(runId: string): number {
    return this.#last.get(runId) ?? 0;
  }

  /** The hashes that the entry of a run with this number was signed with. */
  hashesOf(runId: string, number: number): readonly string[] {
    const heads = this.#heads.get(runId) ?? [];
    return heads.filter((head) => head.number === number).map((head) => head.hash);
  }

  /** Returns whether an entry that no checkpoint knows is so old that one should. */
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
