import type { ReactNode } from 'react';
import { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { UntrustedLine } from '../text/untrusted.tsx';

/** States why a request failed. */
export function FailureText({ error }: { readonly error: unknown }): ReactNode {
  if (!(error instanceof DeskClientError)) return 'The desk could not be reached.';
  return <UntrustedLine text={error.message} max={500} />;
}

/** Takes the place of content that could not be loaded. */
export function Failure({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry: () => void;
}): ReactNode {
  return (
    <div className="notice problem" role="alert">
      <p>
        <FailureText error={error} />
      </p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Shows a query's value; before it has one, its progress or its error. */
export function Loaded<Value>({
  query: { data, error, refetch },
  children,
}: {
  readonly query: {
    readonly data: Value | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly children: (value: Value) => ReactNode;
}): ReactNode {
  if (data !== undefined) return children(data);
  if (error === null) return <p className="empty">Loading …</p>;
  return <Failure error={error} onRetry={() => void refetch()} />;
}
