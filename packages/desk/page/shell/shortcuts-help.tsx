import { type ReactNode, useRef, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { areShortcutsOn, setShortcutsOn } from './keyboard.ts';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['j', 'next row (↓ inside a list)'],
  ['k', 'previous row (↑ inside a list)'],
  ['Enter', 'open the row'],
  ['a', 'approve, after a confirmation'],
  ['d', 'deny, with a reason'],
  ['c', 'request changes from the agent'],
  ['e', 'edit the arguments'],
  ['r', 'record the result, or respond'],
  ['/', 'search'],
  ['Escape', 'back to the list'],
  ['?', 'this help'],
];

export function ShortcutsHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [isOn, setIsOn] = useState(areShortcutsOn);
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog label="Keyboard shortcuts" focus={close} onClose={onClose}>
      <h2>Keyboard shortcuts</h2>
      <dl className="shortcuts">
        {SHORTCUTS.map(([key, action]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setShortcutsOn(target.checked);
            setIsOn(target.checked);
          }}
        />
        Enable single-key shortcuts
      </label>
      <div className="form-buttons">
        <button ref={close} type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
