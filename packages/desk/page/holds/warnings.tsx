import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { InDoubt } from './in-doubt.tsx';
import { warningsOf } from './warnings-of.ts';

/** Everything that an approver has to know before they decide; a doubt comes first. */
export function Warnings({ hold }: { readonly hold: Hold }): ReactNode {
  const { inDoubt, ...others } = hold;
  const isInDoubt = inDoubt !== undefined && hold.state === 'open';
  const warnings = warningsOf(others);
  if (warnings.length === 0 && !isInDoubt) return null;
  return (
    <section className="warnings" aria-label="Before you decide">
      {isInDoubt && <InDoubt inDoubt={inDoubt} />}
      {warnings.map(({ chip, text }) => (
        <div key={chip} className="notice warning">
          <p>
            <strong>{chip}.</strong> {text}
          </p>
        </div>
      ))}
    </section>
  );
}
