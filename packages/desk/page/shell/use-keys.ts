import { useEffect, useRef } from 'react';
import { areKeysOn } from './key-setting.ts';

/** What keys do, by their names. */
export type Keys = Readonly<Record<string, () => void>>;

/** Does something when a key is pressed, unless somebody types, or a dialog is open. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const isEscape = event.key === 'Escape';
      if (!isEscape && (isTyping(event.target) || !areKeysOn())) return;
      const action = Object.hasOwn(latest.current, event.key)
        ? latest.current[event.key]
        : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select')
  );
}
