/** The kinds of problems of an audit. */
export type AuditProblemKind =
  /** A value is not an audit entry of this tenant. */
  | 'not-an-entry'
  /** The contents of an entry do not match its hash. */
  | 'edited'
  /** An entry does not contain the hash of the entry before it, so one of them was replaced. */
  | 'broken-chain'
  /** Entries of a run are missing. */
  | 'missing'
  /** An entry is out of order or duplicate. */
  | 'out-of-order'
  /** The entries form a chain, but it differs from the signed one: they were rewritten. */
  | 'rewritten'
  /** A signed run is missing. */
  | 'missing-run'
  /** An entry has a time before a checkpoint that does not contain it. */
  | 'backdated'
  /** A checkpoint is invalid, has an invalid signature, or its heads differ from the signed ones. */
  | 'bad-checkpoint'
  /** More problems exist than are listed. */
  | 'more';

/** A problem of an audit. */
export interface AuditProblem {
  readonly kind: AuditProblemKind;
  readonly runId?: string | undefined;
  /** The number of the entry, or of the first one that is missing. */
  readonly number?: number | undefined;
  /** For people. */
  readonly message: string;
}

const MAX_PROBLEMS = 1_000;

/** Collects problems, up to a limit. */
export class AuditProblems {
  readonly #found: AuditProblem[] = [];

  add(
    kind: AuditProblemKind,
    message: string,
    at: Omit<AuditProblem, 'kind' | 'message'> = {},
  ): void {
    const { length } = this.#found;
    if (length < MAX_PROBLEMS) this.#found.push(Object.freeze({ kind, ...at, message }));
    if (length === MAX_PROBLEMS) {
      const more = `There are more than ${MAX_PROBLEMS} problems; the others are not listed.`;
      this.#found.push(Object.freeze({ kind: 'more', message: more }));
    }
  }

  get all(): readonly AuditProblem[] {
    return Object.freeze([...this.#found]);
  }
}
