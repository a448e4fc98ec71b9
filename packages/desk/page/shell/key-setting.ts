const NAME = 'holdpoint-keys';

/** Whether single keys do something: some people speak to their computer, and words are full of them. */
export function areKeysOn(): boolean {
  return localStorage.getItem(NAME) !== 'off';
}

/** Remembers in this browser whether single keys do something. */
export function setKeysOn(isOn: boolean): void {
  localStorage.setItem(NAME, isOn ? 'on' : 'off');
}
