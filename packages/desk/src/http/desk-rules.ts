import type { Redaction } from './redaction/redaction.ts';

/** What holds for all requests to a desk. */
export interface DeskRules {
  readonly redaction: Redaction;
  /** Told of errors that no request is to blame for. */
  readonly onError: (error: unknown) => void;
}
