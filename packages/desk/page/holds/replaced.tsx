import { type ReactNode, useEffect, useRef } from 'react';
import type { Hold } from '../client/types.ts';
import { ChangeList } from '../form/change-list.tsx';
import { changesBetween } from '../form/changes.ts';
import type { Schema } from '../form/schema.ts';
import { PersonName } from '../shell/people.tsx';
import { takesKeys } from '../shell/takes-keys.ts';
import { saidWords } from './hold-words.ts';

/** Somebody has changed what is asked: what it was, what it is, and a button to say that it was seen. */
export function Replaced({
  before,
  now,
  onSeen,
}: {
  readonly before: Hold;
  readonly now: Hold;
  readonly onSeen: () => void;
}): ReactNode {
  const notice = useRef<HTMLElement>(null);
  const changes = changesBetween(before.edit?.args ?? before.args, now.edit?.args ?? now.args);
  useEffect(() => {
    // An approver who types goes on typing: the buttons of the form say that the call has changed.
    if (!takesKeys(document.activeElement)) notice.current?.focus();
  }, []);
  return (
    <section
      ref={notice}
      tabIndex={-1}
      className="notice changed"
      aria-labelledby="changed-heading"
    >
      <h2 id="changed-heading">This has changed while you looked at it</h2>
      <p>
        <WhatChanged before={before} now={now} /> Who agreed before has to agree again.
      </p>
      {changes.length > 0 && (
        <ChangeList changes={changes} schema={now.schema as Schema | undefined} />
      )}
      <button type="button" onClick={onSeen}>
        I have seen this
      </button>
    </section>
  );
}

function WhatChanged({ before, now }: { readonly before: Hold; readonly now: Hold }): ReactNode {
  if (now.edit !== undefined && now.edit.at !== before.edit?.at) {
    return (
      <>
        <PersonName person={now.edit.by} /> has changed the arguments.
      </>
    );
  }
  if (now.proposed !== undefined && now.proposed.at !== before.proposed?.at) {
    return (
      <>
        <PersonName person={now.proposed.by} /> {saidWords(String(now.proposed.answer['kind']))}.
        That is what is asked now.
      </>
    );
  }
  if (now.remember !== undefined) return 'Somebody wants the approval to be remembered.';
  return 'It is asked anew.';
}
