import { h, type VNode } from 'vue';

/** Who does something, and what. */
type Line = readonly [who: string, what: string, kind?: 'waits' | 'runs' | 'refused'];

const STORY: readonly (Line | string)[] = [
  ['model', 'delete_note({ name: "draft.txt" })'],
  ['gate', 'needs approval: the run is parked', 'waits'],
  'a weekend later, in another process',
  ['Ada', 'yes'],
  ['ledger', 'resumed, by this process alone'],
  ['gate', 'permit'],
  ['tool', 'draft.txt is deleted', 'runs'],
  'the same answer arrives once more',
  ['ledger', 'already resumed: nothing runs', 'refused'],
];

/** The life of a call that has to wait, for the first page. */
export function heldCall(): VNode {
  return h('ol', { class: 'held-call' }, STORY.map(showLine));
}

function showLine(line: Line | string): VNode {
  if (typeof line === 'string') return h('li', { class: 'pause' }, line);
  const [who, what, kind] = line;
  return h('li', { class: kind }, [h('b', who), h('span', what)]);
}
