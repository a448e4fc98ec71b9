import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { suspendShortcuts } from './keyboard.ts';

/** A modal dialog. The browser keeps the focus inside and returns it afterwards. */
export function Dialog({
  label,
  focus,
  onClose,
  children,
}: {
  readonly label: string;
  /** The element that takes the focus; the first control unless given. */
  readonly focus?: RefObject<HTMLElement | null> | undefined;
  /** Called when the person presses Escape. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    focus?.current?.focus();
    const resume = suspendShortcuts();
    return () => {
      resume();
      element?.close();
    };
  }, [focus]);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}
