import type { MayAnswer } from './caller.ts';
import type { Redaction } from '../redaction/redaction.ts';

/** What holds for all requests to a desk. */
export interface DeskRules {
  readonly redaction: Redaction;
  readonly mayAnswer: MayAnswer | undefined;
  readonly notRequester: boolean;
  /** Told of errors that no request is to blame for. */
  readonly onError: (error: unknown) => void;
}
