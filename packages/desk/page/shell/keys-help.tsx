import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { areKeysOn, setKeysOn } from './key-setting.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['j', 'next row of the list; ↓ inside the list'],
  ['k', 'previous row of the list; ↑ inside the list'],
  ['Enter', 'open the row'],
  ['a', 'approve, after a confirmation'],
  ['d', 'deny, with a reason'],
  ['e', 'edit the arguments'],
  ['r', 'record the result'],
  ['/', 'search'],
  ['Escape', 'back'],
  ['?', 'this list'],
];

/** The keys that do something. */
export function KeysHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [isOn, setIsOn] = useState(areKeysOn);
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl className="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setKeysOn(target.checked);
            setIsOn(target.checked);
          }}
        />
        Enable single-key shortcuts
      </label>
      <div className="answer-buttons">
        <button type="button" data-focus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
