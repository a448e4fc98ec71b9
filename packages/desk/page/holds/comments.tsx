import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queryKeys, useComments } from '../client/queries.ts';
import { FailureText, Loaded } from '../shell/failure.tsx';
import { useInbox } from '../shell/inbox-context.ts';
import { PersonName } from '../shell/people.tsx';
import { UntrustedText } from '../text/untrusted.tsx';
import { Moment } from '../time/times.tsx';

/** The comments of approvers on a hold, and a form for another one. */
export function CommentsSection({ holdId }: { readonly holdId: string }): ReactNode {
  const query = useComments(holdId);
  return (
    <section className="comments" aria-labelledby="comments-heading">
      <h2 id="comments-heading">Comments</h2>
      <Loaded query={query}>
        {({ items }) => (
          <ul className="vote-list">
            {items.map(({ number, by, text, at }) => (
              <li key={number}>
                <PersonName person={by} />, <Moment at={at} />
                <p className="quote">
                  <UntrustedText text={text} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <CommentForm holdId={holdId} />
    </section>
  );
}

function CommentForm({ holdId }: { readonly holdId: string }): ReactNode {
  const { client, announce } = useInbox();
  const cache = useQueryClient();
  const [text, setText] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => client.comment(holdId, { text: text.trim() }),
    onSuccess() {
      announce('Your comment is added.');
      setText('');
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.comments(holdId) }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label>
        Add a comment. Other approvers see it, and the agent does not.
        <textarea
          rows={2}
          maxLength={4_000}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      {error !== null && (
        <p className="notice problem" role="alert">
          <FailureText error={error} />
        </p>
      )}
      <div className="form-buttons">
        <button type="submit" disabled={isPending || text.trim() === ''}>
          Comment
        </button>
      </div>
    </form>
  );
}
