import { h, type VNode } from 'vue';

/** An actor of the story, and its action. */
type Line = readonly [who: string, what: string, kind?: 'parked' | 'executed' | 'rejected'];

const STORY: readonly (Line | string)[] = [
  ['model', 'delete_note({ name: "draft.txt" })'],
  ['gate', 'needs approval: the run is parked', 'parked'],
  'a weekend later, in another process',
  ['Ada', 'approves'],
  ['ledger', 'resumed, by this process only'],
  ['gate', 'permits the call'],
  ['tool', 'draft.txt is deleted', 'executed'],
  'the same decision arrives again',
  ['ledger', 'already resumed: nothing executes', 'rejected'],
];

/** Shows the life of a call that needs an approval, for the first page. */
export function heldCall(): VNode {
  return h('ol', { class: 'held-call' }, STORY.map(showLine));
}

function showLine(line: Line | string): VNode {
  if (typeof line === 'string') return h('li', { class: 'pause' }, line);
  const [who, what, kind] = line;
  return h('li', { class: kind }, [h('b', who), h('span', what)]);
}
