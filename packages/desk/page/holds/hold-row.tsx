import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { Link } from '../shell/link.tsx';
import { visibleText } from '../text/hidden-characters.ts';
import { startOf } from '../text/format.ts';
import { UntrustedLine } from '../text/untrusted.tsx';
import { TimeLeft, WaitingSince } from '../time/times.tsx';
import { approvalsOf, summaryOf, warningsOf } from './hold-text.ts';

/** A hold in a list. */
export function HoldRow({
  hold,
  isCurrent = false,
  isSelected,
  onSelect,
}: {
  readonly hold: Hold;
  readonly isCurrent?: boolean | undefined;
  /** `undefined` if holds are not being selected. */
  readonly isSelected?: boolean | undefined;
  readonly onSelect?: (() => void) | undefined;
}): ReactNode {
  const { edit, requester, createdAt, expiresAt, kind } = hold;
  const { required, given } = approvalsOf(hold);
  const warnings = warningsOf(hold);
  const summary = summaryOf(hold);
  return (
    <li className={isSelected === undefined ? undefined : 'selectable'}>
      {isSelected !== undefined && (
        <label className="row-check">
          <input type="checkbox" checked={isSelected} onChange={onSelect} />
          <span className="visually-hidden">Select: {visibleText(startOf(summary, 80).text)}</span>
        </label>
      )}
      <Link
        to={{ name: 'hold', id: hold.id }}
        className="row"
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span className="row-head">
          <span className="row-title">
            <UntrustedLine text={hold.title} max={60} />
          </span>
          <WaitingSince since={createdAt} />
        </span>
        <span className="row-summary">
          <UntrustedLine text={summary} />
        </span>
        <span className="row-facts">
          {requester !== undefined && (
            <span>
              Requested by <UntrustedLine text={requester.name ?? requester.id} max={60} />
            </span>
          )}
          {expiresAt !== undefined && <TimeLeft until={expiresAt} />}
          {required > 1 && (
            <span className="chip">
              {given} of {required} approvals
            </span>
          )}
          {edit !== undefined && <span className="chip">Edited</span>}
          {kind === 'question' && <span className="chip">Response required</span>}
          {kind === 'external' && <span className="chip">Result required</span>}
          {warnings.map(({ label }) => (
            <span key={label} className="chip warning">
              {label}
            </span>
          ))}
        </span>
      </Link>
    </li>
  );
}
