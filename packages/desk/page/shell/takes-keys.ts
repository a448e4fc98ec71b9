/**
 * Returns whether an element takes keys itself: a form control, editable text, or anything inside a
 * form. A shortcut there would replace what the key does, or discard what was typed.
 */
export function takesKeys(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, select, textarea, form, [contenteditable]') !== null
  );
}
