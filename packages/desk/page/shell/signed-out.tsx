import type { ReactNode } from 'react';
import type { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { ForeignLine } from '../text/foreign.tsx';

/** Asks the visitor to sign in: at the start, or after the session has ended. */
export function SignedOut({
  error,
  root,
  onResume,
}: {
  readonly error: DeskClientError;
  readonly root: URL;
  /** Continues with the page as it was; `undefined` if there is none yet. */
  readonly onResume?: (() => Promise<void>) | undefined;
}): ReactNode {
  const signIn = error.details['signIn'];
  const hasPage = onResume !== undefined;
  return (
    <main className="alone">
      <h1>You are not signed in</h1>
      <p>
        <ForeignLine text={error.message} most={300} />
      </p>
      {hasPage && (
        <p>
          This tab keeps what you typed. Sign in {typeof signIn === 'string' && 'in a new tab'},
          then continue here.
        </p>
      )}
      <p className="alone-buttons">
        {typeof signIn === 'string' && (
          <a
            className="button approve"
            href={signInAddress(signIn, root)}
            target={hasPage ? '_blank' : undefined}
            rel={hasPage ? 'noopener' : undefined}
          >
            Sign in
          </a>
        )}
        {hasPage && (
          <button type="button" onClick={() => void onResume()}>
            Continue
          </button>
        )}
      </p>
    </main>
  );
}

/** Where to sign in, to come back to where one was. */
function signInAddress(path: string, root: URL): string {
  const address = new URL(path, root);
  address.searchParams.set('returnTo', location.pathname);
  return address.href;
}
