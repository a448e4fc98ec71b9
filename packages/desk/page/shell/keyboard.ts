import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useEffectEvent } from 'react';

const SETTING = 'holdpoint-keys';

/** Returns whether single-key shortcuts are enabled. They disturb people who use speech input. */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(SETTING) !== 'off';
}

export function setShortcutsOn(isOn: boolean): void {
  localStorage.setItem(SETTING, isOn ? 'on' : 'off');
}

let suspensions = 0;

/** Suspends all shortcuts while a dialog or a menu is open. Returns the function that resumes them. */
export function suspendShortcuts(): () => void {
  suspensions += 1;
  return () => {
    suspensions -= 1;
  };
}

/** Actions by the names of their keys. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/**
 * Binds single-key shortcuts for the whole page. They do not fire inside forms, dialogs and controls
 * that use keys themselves. Do not bind the arrow keys here: they scroll the page.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (suspensions > 0 || usesKeys(event.target)) return;
    if (event.key !== 'Escape' && !areShortcutsOn()) return;
    if (!Object.hasOwn(shortcuts, event.key)) return;
    event.preventDefault();
    shortcuts[event.key]?.();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}

/** Returns whether an element is inside a form or a control that uses keys itself. */
export function usesKeys(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, select, textarea, form, [contenteditable]') !== null
  );
}

/** Moves the focus between the links of a list. */
export function moveInList(list: HTMLElement | null, by: 1 | -1): void {
  const links = [...(list?.getElementsByTagName('a') ?? [])];
  const focused = links.findIndex((link) => link === document.activeElement);
  const current = links.findIndex((link) => link.getAttribute('aria-current') === 'true');
  const from = focused >= 0 ? focused : current;
  const to = from < 0 ? (by === 1 ? 0 : links.length - 1) : from + by;
  links[Math.max(0, Math.min(links.length - 1, to))]?.focus();
}

/** Moves between the links of a list with the arrow keys, while one of them has the focus. */
export function onListKey(event: ReactKeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !areShortcutsOn()) return;
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  moveInList(event.currentTarget, event.key === 'ArrowDown' ? 1 : -1);
}
