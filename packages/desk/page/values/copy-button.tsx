import { type ReactNode, useEffect, useState } from 'react';
import { useInbox } from '../shell/inbox-context.ts';

const CONFIRMATION_MS = 2_000;

/** Copies a text to the clipboard. Renders nothing if the browser has no clipboard for pages. */
export function CopyButton({
  text,
  label,
}: {
  readonly text: string;
  /** The name of the text, such as `idempotency key`. */
  readonly label: string;
}): ReactNode {
  const { announce } = useInbox();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  // It exists on HTTPS and on localhost only, other than its type states.
  const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard;
  if (clipboard === undefined) return null;
  const copy = async () => {
    try {
      await clipboard.writeText(text);
      setIsCopied(true);
      announce(`Copied the ${label}.`);
    } catch {
      announce(`The browser did not copy the ${label}. Select it and copy it yourself.`);
    }
  };
  return (
    <button type="button" className="text-button" onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy'}
      <span className="visually-hidden"> the {label}</span>
    </button>
  );
}
