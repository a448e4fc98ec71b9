import type { ReactNode } from 'react';
import type { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { ForeignLine } from '../text/foreign.tsx';

/** Nobody knows who looks. */
export function SignedOut({
  error,
  root,
}: {
  readonly error: DeskClientError;
  readonly root: URL;
}): ReactNode {
  const signIn = error.details['signIn'];
  return (
    <main className="alone">
      <h1>You are not signed in</h1>
      <p>
        <ForeignLine text={error.message} most={300} />
      </p>
      {typeof signIn === 'string' && (
        <p>
          <a className="button approve" href={signInAddress(signIn, root)}>
            Sign in
          </a>
        </p>
      )}
    </main>
  );
}

/** Where to sign in, to come back to where one was. */
function signInAddress(path: string, root: URL): string {
  const address = new URL(path, root);
  address.searchParams.set('returnTo', location.pathname);
  return address.href;
}
