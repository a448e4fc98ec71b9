import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { Foreign } from '../text/foreign.tsx';
import { warningsOf } from './warnings-of.ts';

/** What whoever answers should know first. */
export function Warnings({ hold }: { readonly hold: Hold }): ReactNode {
  const warnings = warningsOf(hold);
  if (warnings.length === 0) return null;
  return (
    <section className="warnings" aria-label="Before you answer">
      {warnings.map(({ chip, text, said }) => (
        <div key={chip} className="notice warning">
          <p>
            <strong>{chip}.</strong> {text}
          </p>
          {said !== undefined && (
            <p className="said">
              <Foreign text={said} />
            </p>
          )}
        </div>
      ))}
    </section>
  );
}
