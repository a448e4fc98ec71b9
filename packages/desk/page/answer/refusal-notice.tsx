import { type ReactNode, useEffect, useRef } from 'react';
import { PersonName } from '../shell/people.tsx';
import { ForeignLine } from '../text/foreign.tsx';
import type { Refusal } from './refusal.ts';

/** Why an answer did not count. */
export function RefusalNotice({ refusal }: { readonly refusal: Refusal }): ReactNode {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), [refusal]);
  const { first, text, said, problems } = refusal;
  return (
    <div ref={notice} tabIndex={-1} className="notice problem" role="alert">
      <p>
        {first !== undefined && <PersonName person={first} />} {text}
      </p>
      {said !== undefined && (
        <p className="said">
          <ForeignLine text={said} most={500} />
        </p>
      )}
      {problems.length > 0 && (
        <ul>
          {problems.map(({ path, message }) => (
            <li key={path}>
              <ForeignLine text={`${path}: ${message}`} most={400} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
