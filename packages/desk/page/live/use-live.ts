import { useCallback, useEffect, useRef, useState } from 'react';
import type { EventView } from '../client/types.ts';
import { useInbox } from '../shell/inbox-context.ts';
import { calmly } from './calmly.ts';

/** Something that is asked for. */
export interface Loaded<Value> {
  /** The last that came, also while it is asked for again. */
  readonly value?: Value | undefined;
  /** Why it did not come the last time. */
  readonly error?: unknown;
  readonly isLoading: boolean;
  /** Asks for it again. */
  readonly reload: () => void;
}

/** Things often happen together: what happens in so many milliseconds is looked at once. */
const TOGETHER_MS = 150;

/**
 * Asks for something, and again when something happens that concerns it, or may have been missed.
 *
 * @param key - What is asked for: with another one, what was there before is forgotten.
 */
export function useLive<Value>(
  key: string,
  load: () => Promise<Value>,
  concerns: (event: EventView) => boolean,
): Loaded<Value> {
  const { live } = useInbox();
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'> & { readonly key: string }>({
    key,
    isLoading: true,
  });
  const latest = useRef({ load, concerns });
  latest.current = { load, concerns };
  const turn = useRef(0);

  const reload = useCallback(async () => {
    const mine = ++turn.current;
    setState((before) =>
      before.key === key ? { ...before, isLoading: true } : { key, isLoading: true },
    );
    try {
      const value = await latest.current.load();
      if (mine === turn.current) setState({ key, value, isLoading: false });
    } catch (error) {
      if (mine === turn.current)
        setState((before) => ({ ...before, key, error, isLoading: false }));
    }
  }, [key]);

  useEffect(() => {
    void reload();
    const again = calmly(TOGETHER_MS, () => void reload());
    const end = live.listen((news) => {
      if (news.kind === 'missed' || latest.current.concerns(news.event)) again.trigger();
    });
    return () => {
      again.cancel();
      end();
      turn.current += 1;
    };
  }, [live, reload]);

  const known = state.key === key ? state : { isLoading: true };
  return { ...known, reload };
}
