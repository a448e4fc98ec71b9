import { type ReactNode, useEffect, useEffectEvent } from 'react';
import type { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { Dialog } from './dialog.tsx';
import { Brand } from './masthead.tsx';

interface SignInProps {
  readonly error: DeskClientError;
  readonly root: URL;
}

/** Asks a visitor without a session to sign in. */
export function SignInPage({
  error,
  root,
  onContinue,
}: SignInProps & { readonly onContinue: () => void }): ReactNode {
  const address = signInAddress(error, root);
  return (
    <>
      <header>
        <Brand />
      </header>
      <main className="alone">
        <h1>You are not signed in</h1>
        <p>
          <UntrustedLine text={error.message} max={300} />
        </p>
        {address === undefined && (
          <p>
            Sign in to your application, or open a sign-in link. The operator of the desk can send
            you one.
          </p>
        )}
        <p className="alone-buttons">
          {address !== undefined && (
            <a className="button primary" href={address}>
              Sign in
            </a>
          )}
          <button type="button" onClick={onContinue}>
            Try again
          </button>
        </p>
      </main>
    </>
  );
}

/** Asks a person whose session has ended to sign in again. The page behind it does not change. */
export function SignInPrompt({
  error,
  root,
  onContinue,
}: SignInProps & { readonly onContinue: () => void }): ReactNode {
  const address = signInAddress(error, root);
  // The person may have signed in in another tab.
  const onReturn = useEffectEvent(() => {
    if (document.visibilityState === 'visible') onContinue();
  });
  useEffect(() => {
    document.addEventListener('visibilitychange', onReturn);
    return () => document.removeEventListener('visibilitychange', onReturn);
  }, []);
  return (
    <Dialog label="You are not signed in" onClose={onContinue}>
      <h2>You are not signed in</h2>
      <p>
        <UntrustedLine text={error.message} max={300} />
      </p>
      <p>
        This tab keeps your drafts. Sign in {address !== undefined && 'in a new tab '}and continue
        here.
      </p>
      <div className="form-buttons">
        <button type="button" onClick={onContinue}>
          Continue
        </button>
        {address !== undefined && (
          <a className="button primary" href={address} target="_blank" rel="noopener">
            Sign in
          </a>
        )}
      </div>
    </Dialog>
  );
}

/** Returns the sign-in address that leads back to this page; `undefined` if the desk has none. */
function signInAddress(error: DeskClientError, root: URL): string | undefined {
  const path = error.details['signIn'];
  if (typeof path !== 'string') return undefined;
  const address = new URL(path, root);
  address.searchParams.set('returnTo', location.pathname);
  return address.href;
}
