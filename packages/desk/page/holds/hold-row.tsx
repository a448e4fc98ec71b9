import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { Link } from '../shell/link.tsx';
import { ForeignLine } from '../text/foreign.tsx';
import { TimeLeft, WaitingFor } from '../time/times.tsx';
import { lineOf } from '../values/json-text.ts';
import { quorumOf } from './hold-words.ts';
import { warningsOf } from './warnings-of.ts';

/** A hold in a list: what would happen, for whom, and how long it has waited. */
export function HoldRow({
  hold,
  isCurrent,
}: {
  readonly hold: Hold;
  readonly isCurrent: boolean;
}): ReactNode {
  const { needed, have } = quorumOf(hold);
  const warnings = warningsOf(hold);
  return (
    <li>
      <Link
        to={{ name: 'hold', id: hold.id }}
        className="hold-row"
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span className="hold-row-what">
          <ForeignLine text={lineOf(hold.edit?.args ?? hold.preview ?? hold.args)} />
        </span>
        <span className="hold-row-facts">
          <span className="tool-name">
            <ForeignLine text={hold.toolName} most={60} />
          </span>
          {hold.requester !== undefined && (
            <span>
              for <ForeignLine text={hold.requester.name ?? hold.requester.id} most={60} />
            </span>
          )}
          <span>
            waits <WaitingFor since={hold.createdAt} />
          </span>
        </span>
        {(hold.expiresAt !== undefined ||
          needed > 1 ||
          warnings.length > 0 ||
          hold.kind === 'external') && (
          <span className="hold-row-marks">
            {hold.expiresAt !== undefined && <TimeLeft until={hold.expiresAt} />}
            {needed > 1 && (
              <span className="chip">
                {have} of {needed} agree
              </span>
            )}
            {hold.kind === 'external' && <span className="chip">needs a result</span>}
            {warnings.map(({ chip }) => (
              <span key={chip} className="chip warning">
                {chip}
              </span>
            ))}
          </span>
        )}
      </Link>
    </li>
  );
}
