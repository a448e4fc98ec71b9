import type { ReactNode } from 'react';
import type { Hold } from '../client/types.ts';
import { PersonName } from '../shell/people.tsx';
import { Moment } from '../time/times.tsx';
import { JsonBlock } from '../values/value-tabs.tsx';
import { ValueView } from '../values/value-view.tsx';
import { saidWords } from './hold-words.ts';
import { rememberWords } from './remember-words.ts';

/** What somebody has proposed beside other arguments: a result, or that the approval is remembered. */
export function Proposal({ hold }: { readonly hold: Hold }): ReactNode {
  const { proposed, remember } = hold;
  if (hold.state !== 'open') return null;
  return (
    <>
      {proposed !== undefined && (
        <section className="notice changed" aria-labelledby="proposed-heading">
          <h2 id="proposed-heading">What you would agree to</h2>
          <p>
            <PersonName person={proposed.by} /> {saidWords(String(proposed.answer['kind']))},{' '}
            <Moment at={proposed.at} />. The call does not run; the agent is told this:
          </p>
          <ValueView
            value={proposed.answer['value'] ?? proposed.answer['message'] ?? null}
            isProse={proposed.answer['value'] === undefined}
          />
        </section>
      )}
      {remember !== undefined && (
        <section className="notice changed" aria-labelledby="remember-heading">
          <h2 id="remember-heading">This approval would be remembered</h2>
          <p>To approve is to approve this call, and {rememberWords(remember)}.</p>
          {typeof remember.match === 'object' && <JsonBlock value={remember.match.args} />}
        </section>
      )}
    </>
  );
}
