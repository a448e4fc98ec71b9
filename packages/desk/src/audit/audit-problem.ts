/** The kinds of problems of an audit. */
export type AuditProblemKind =
  /** Something is there that is no entry of this tenant's audit. */
  | 'not-an-entry'
  /** The contents of an entry do not match its hash. */
  | 'edited'
  /** An entry does not follow on the one before it: one of them is another one than it was. */
  | 'broken-chain'
  /** Entries of a run are not there. */
  | 'missing'
  /** An entry is not where it belongs, or is there twice. */
  | 'out-of-order'
  /** The entries fit each other, but not what was signed: they were written anew. */
  | 'rewritten'
  /** A run that was signed is not there. */
  | 'missing-run'
  /** An entry claims to be older than a checkpoint that does not know it. */
  | 'backdated'
  /** A checkpoint is none, is not signed with the key that it names, or its heads are not those signed. */
  | 'bad-checkpoint'
  /** There were more problems than are listed. */
  | 'more';

/** Something that is wrong with an audit. */
export interface AuditProblem {
  readonly kind: AuditProblemKind;
  readonly runId?: string | undefined;
  /** The number of the entry, or of the first one that is missing. */
  readonly number?: number | undefined;
  /** For people. */
  readonly message: string;
}

const MOST = 1_000;

/** Collects problems, up to a limit. */
export class AuditProblems {
  readonly #found: AuditProblem[] = [];

  add(
    kind: AuditProblemKind,
    message: string,
    at: Omit<AuditProblem, 'kind' | 'message'> = {},
  ): void {
    const { length } = this.#found;
    if (length < MOST) this.#found.push(Object.freeze({ kind, ...at, message }));
    if (length === MOST) {
      const more = `There are more than ${MOST} problems; the others are not listed.`;
      this.#found.push(Object.freeze({ kind: 'more', message: more }));
    }
  }

  get all(): readonly AuditProblem[] {
    return Object.freeze([...this.#found]);
  }
}
