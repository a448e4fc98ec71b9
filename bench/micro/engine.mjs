/**
 * What JavaScript itself takes for things that look alike: why some code is written as it is.
 *
 * Each pair does the same in two ways, the way that we use last.
 */
const TIMES = 1000;

/** Whatever comes out is kept, so that nothing can be left out. */
let kept;

const calls = Array.from({ length: 5 }, (_, index) => ({
  id: `call_${index}`,
  name: 'get_weather',
}));
const frozen = Object.freeze([...calls]);
const long = Object.freeze(Array.from({ length: 5000 }, () => calls[0]));
const map = new Map(calls.map((call) => [call.id, call]));
const record = Object.assign(Object.create(null), Object.fromEntries(map));
const message = {
  kind: 'response',
  parts: frozen,
  timestamp: '2026-01-01T00:00:00.000Z',
  runId: 'run',
  conversationId: 'conversation',
};

const messages = Object.freeze([message, message]);

const lists = [
  engine('walk a frozen list of 5', () => walk(frozen)),
  engine('walk a copy of it', () => walk([...frozen])),
  engine('every of a frozen list of 5', () => frozen.every(hasName)),
  engine('every of a copy of it', () => [...frozen].every(hasName)),
  engine('last of a frozen list, at', () => frozen.at(-1)),
  engine('last of a frozen list, by its index', () => frozen[frozen.length - 1]),
  engine('find in a frozen list from its end', () => frozen.findLastIndex(hasName)),
  engine('find in a frozen list by hand', () => lastIndexByHand(frozen)),
  engine('slice a frozen list of 5,000', () => long.slice(), 10),
  engine('spread a frozen list of 5,000', () => [...long], 10),
];

const ids = [
  engine('are 5 ids different, by a Set', () => areDifferentBySet(calls)),
  engine('are 5 ids different, each with each', () => areDifferent(calls)),
  engine('copy a record of 5 ids', () => Object.assign(Object.create(null), record)),
  engine('copy a map of 5 ids', () => new Map(map)),
];

const objects = [
  engine('members by Object.keys and hasOwn', () => countByKeys(message)),
  engine('members by for in', () => countByForIn(message)),
  engine('mark an object in a WeakMap', () => markInMap({ a: 1 })),
  engine('mark an object on itself, by code of three marks', () => markByOneOfThree({ a: 1 })),
  engine('mark an object on itself, by code of its own', () => markOnItself({ a: 1 })),
  engine('write messages in frozen lists', () => JSON.stringify(messages)),
  engine('write copies of them in other lists', () => JSON.stringify(inOtherLists(messages))),
  engine('make an object', () => ({ kind: 'text', content: 'x', id: calls })),
  engine('make an object and freeze it', () =>
    Object.freeze({ kind: 'text', content: 'x', id: calls }),
  ),
  engine(
    'hold 10,000 objects and what they refer to, made by literals',
    () => stay(makeByLiteral()),
    10,
  ),
  engine(
    'hold 10,000 objects and what they refer to, made by a class',
    () => stay(makeByClass()),
    10,
  ),
];

/** What the engine takes for single things. */
export const ENGINE = [...lists, ...ids, ...objects];

function engine(name, action, times = TIMES) {
  return {
    name: `engine: ${name}`,
    unit: 'time',
    operations: times,
    make: () => () => {
      for (let i = 0; i < times; i++) kept = action();
      return kept;
    },
  };
}

function walk(list) {
  let named = 0;
  for (const item of list) if (hasName(item)) named += 1;
  return named;
}

function hasName({ name }) {
  return name !== '';
}

function lastIndexByHand(list) {
  let index = list.length - 1;
  while (index >= 0 && !hasName(list[index])) index -= 1;
  return index;
}

function areDifferentBySet(list) {
  const seen = new Set();
  for (const { id } of list) seen.add(id);
  return seen.size === list.length;
}

function areDifferent(list) {
  for (let index = 1; index < list.length; index++) {
    for (let other = 0; other < index; other++) {
      if (list[index].id === list[other].id) return false;
    }
  }
  return true;
}

function countByKeys(object) {
  let count = 0;
  for (const key of Object.keys(object)) {
    if (Object.hasOwn(object, key) && object[key] !== undefined) count += 1;
  }
  return count;
}

const { hasOwnProperty } = Object.prototype;

function countByForIn(object) {
  let count = 0;
  for (const key in object) {
    if (hasOwnProperty.call(object, key) && object[key] !== undefined) count += 1;
  }
  return count;
}

const marks = new WeakMap();

function markInMap(object) {
  marks.set(object, calls);
  return marks.get(object);
}

/** A constructor that makes nothing, so that the private fields of a subclass go on what it was given. */
const Same = function same(object) {
  return object;
};

class Marked extends Same {
  #value;

  constructor(object, value) {
    super(object);
    this.#value = value;
  }

  static get(object) {
    return object.#value;
  }
}

function markOnItself(object) {
  return Marked.get(new Marked(object, calls));
}

/** The same again, since to have code of its own is what is measured. */
const threeMarks = [1, 2, 3].map(
  () =>
    class OneOfThree extends Same {
      #value;

      constructor(object, value) {
        super(object);
        this.#value = value;
      }

      static get(object) {
        return object.#value;
      }
    },
);
let turn = 0;

function markByOneOfThree(object) {
  turn = (turn + 1) % threeMarks.length;
  const OneOfThree = threeMarks[turn];
  return OneOfThree.get(new OneOfThree(object, calls));
}

function inOtherLists(list) {
  const copies = [];
  const items = [...list];
  for (const item of items) copies.push({ ...item, parts: [...item.parts] });
  return copies;
}

/** Twenty lists stay at a time, so that most of what is in them outlives a collection of garbage. */
const staying = [];
let next = 0;

function stay(list) {
  staying[next] = list;
  next = (next + 1) % 20;
  return list;
}

class Held {
  id;
  args;
  approval;

  constructor(id, args) {
    this.id = id;
    this.args = args;
  }
}

function makeByClass() {
  const list = [];
  for (let id = 0; id < 10_000; id++) list.push(new Held(id, new Held(id, calls)));
  return list;
}

function makeByLiteral() {
  const list = [];
  for (let id = 0; id < 10_000; id++) {
    list.push({ id, args: new Held(id, calls), approval: undefined });
  }
  return list;
}
