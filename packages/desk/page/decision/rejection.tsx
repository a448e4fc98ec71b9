import { type ReactNode, useEffect, useRef } from 'react';
import { DeskClientError } from '../../src/http/client/desk-client-error.ts';
import type { Person } from '../client/types.ts';
import type { Problem } from '../form/problems.ts';
import { decisionText } from '../holds/hold-text.ts';
import { PersonName } from '../shell/people.tsx';
import { UntrustedLine } from '../text/untrusted.tsx';

/** The reason why the desk did not record a decision. */
interface Rejection {
  readonly text: string;
  /** The message of the desk, which may quote untrusted text. */
  readonly message?: string | undefined;
  /** The approver who decided first. */
  readonly first?: Person | undefined;
  readonly problems?: readonly Problem[] | undefined;
}

/** States why a decision was not recorded, and takes the focus. */
export function RejectionNotice({ error }: { readonly error: unknown }): ReactNode {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), [error]);
  const { first, text, message, problems = [] } = rejectionOf(error);
  return (
    <div ref={notice} tabIndex={-1} className="notice problem" role="alert">
      <p>
        {first !== undefined && <PersonName person={first} />} {text}
      </p>
      {message !== undefined && (
        <p className="quote">
          <UntrustedLine text={message} max={500} />
        </p>
      )}
      {problems.length > 0 && (
        <ul>
          {problems.map(({ path, message: problem }) => (
            <li key={path}>
              <UntrustedLine text={`${path}: ${problem}`} max={400} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function rejectionOf(error: unknown): Rejection {
  if (!(error instanceof DeskClientError)) {
    return {
      text: 'The desk did not respond. It may have recorded your decision. Check the state of this hold before you decide again. The page does not send it again by itself.',
    };
  }
  const { code, details, message } = error;
  const first = firstDecision(details['firstDecision']);
  if (first !== undefined) {
    const text = `${decisionText(first)} first. Your decision was not recorded.`;
    return { text, first: first.by };
  }
  switch (code) {
    case 'stale-digest':
      return { text: 'The call has changed since you opened it. Your decision was not recorded.' };
    case 'stale-edit':
      return {
        text: 'The preview of your changes is out of date. Your decision was not recorded. Review the changes again.',
      };
    case 'hold-settled':
      return { text: 'This hold is settled. Your decision was not recorded.', message };
    default: {
      const problems = problemsIn(details['errors']);
      return { text: 'Your decision was not recorded.', message, problems };
    }
  }
}

function firstDecision(value: unknown): { readonly by: Person; readonly kind: string } | undefined {
  const { by, kind } = Object(value);
  const { id, name } = Object(by);
  if (typeof id !== 'string' || typeof kind !== 'string') return undefined;
  return { by: { id, ...(typeof name === 'string' && { name }) }, kind };
}

function problemsIn(value: unknown): readonly Problem[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => {
    const { path, message } = Object(item);
    return { path: String(path ?? ''), message: String(message ?? '') };
  });
}
