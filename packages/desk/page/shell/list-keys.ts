import type { KeyboardEvent } from 'react';
import { areKeysOn } from './key-setting.ts';
import { moveInList } from './move-in-list.ts';

/** Moves between the rows of a list with the arrow keys, while the focus is on one of its rows. */
export function onListKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !areKeysOn()) return;
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  moveInList(event.key === 'ArrowDown' ? 1 : -1);
}
