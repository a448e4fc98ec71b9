import { useCallback, useEffect, useState } from 'react';
import type { AnsweredHold, Hold } from '../client/types.ts';
import { useLive } from '../live/use-live.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { noticeOf } from './notice-of.ts';

/** A hold as it is on the screen. */
export interface ShownHold {
  readonly shown?: AnsweredHold | undefined;
  /** How it was before somebody else changed it, until whoever looks has said that they have seen it. */
  readonly before?: Hold | undefined;
  readonly error?: unknown;
  readonly reload: () => void;
  /** The change was seen. */
  readonly acknowledge: () => void;
  /** Whoever looks has changed it: there is nothing new in that for them. */
  readonly take: (hold: Hold) => void;
}

interface Screen {
  readonly id: string;
  readonly shown?: AnsweredHold | undefined;
  readonly before?: Hold | undefined;
}

/** Follows a hold. What others change is shown at once, and has to be acknowledged if it replaces what was there. */
export function useShownHold(id: string): ShownHold {
  const { client, announce } = useInbox();
  const { value, error, reload } = useLive(
    `hold ${id}`,
    () => client.hold(id),
    ({ data }) => data['holdId'] === id,
  );
  const [screen, setScreen] = useState<Screen>({ id });

  useEffect(() => {
    if (value === undefined || value.hold.id !== id) return;
    setScreen((now) => {
      if (now.id !== id || now.shown === undefined) return { id, shown: value };
      const notice = noticeOf(now.shown.hold, value.hold);
      const replaced = notice?.kind === 'replaced' ? notice.before : undefined;
      // Several changes that nobody has seen are one: from what was seen last.
      const before = value.hold.state === 'open' ? (now.before ?? replaced) : undefined;
      return { id, shown: value, before };
    });
  }, [id, value]);

  const { shown, before } = screen.id === id ? screen : {};
  const digest = shown?.hold.digest;
  const state = shown?.hold.state;
  useEffect(() => {
    if (before !== undefined) announce('Somebody has changed this call while you looked at it.');
  }, [before, digest, announce]);
  useEffect(() => {
    if (state !== undefined && state !== 'open') announce('This call does not wait any more.');
  }, [state, announce]);

  const acknowledge = useCallback(() => setScreen((now) => ({ id: now.id, shown: now.shown })), []);
  const take = useCallback(
    (hold: Hold) =>
      setScreen((now) =>
        now.id === hold.id
          ? { id: now.id, shown: { answers: now.shown?.answers ?? [], hold } }
          : now,
      ),
    [],
  );
  return {
    shown,
    before,
    error: shown === undefined ? error : undefined,
    reload,
    acknowledge,
    take,
  };
}
