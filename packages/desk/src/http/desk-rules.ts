import type { ReportError } from '../errors/report-error.ts';
import type { AuthorizeAction } from './access.ts';
import type { Redaction } from '../redaction/redaction.ts';

/** What holds for all requests to a desk. */
export interface DeskRules {
  readonly redaction: Redaction;
  readonly authorizeAction: AuthorizeAction | undefined;
  /** Receives errors that no caller gets. */
  readonly onError: ReportError;
}
