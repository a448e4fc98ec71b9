import type { ReactNode } from 'react';
import { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { ForeignLine } from '../text/foreign.tsx';

/** What went wrong, in words; `undefined` for a desk that could not be reached. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof DeskClientError ? error.message : undefined;
}

/** Something could not be shown. */
export function Failure({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry: () => void;
}): ReactNode {
  const reason = reasonOf(error);
  return (
    <div className="notice problem" role="alert">
      <p>
        {reason === undefined ? (
          'The desk could not be reached.'
        ) : (
          <ForeignLine text={reason} most={500} />
        )}
      </p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
