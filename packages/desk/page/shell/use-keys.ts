import { useEffect, useRef } from 'react';
import { takesKeys } from './takes-keys.ts';
import { areKeysOn } from './key-setting.ts';

/** Actions by the names of their keys. */
export type Keys = Readonly<Record<string, () => void>>;

/**
 * Binds single-key shortcuts for the whole page. They do not fire on controls that take keys
 * themselves, inside forms, or while a dialog is open. The arrow keys must not be bound here: they
 * scroll the page.
 */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') !== null || takesKeys(event.target)) return;
      if (event.key !== 'Escape' && !areKeysOn()) return;
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
