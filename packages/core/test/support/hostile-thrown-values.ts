/** A value that a program can throw or abort with, although it cannot be turned into text. */
export interface HostileValue {
  readonly shape: string;
  readonly value: unknown;
}

const fail = (): never => {
  throw new RangeError('This value cannot be read.');
};

/** Values of every shape that fails when it is read, one for each test. For `describe.each`. */
export const hostileValues: readonly HostileValue[] = [
  { shape: 'an object without a prototype', value: Object.create(null) },
  {
    shape: 'an error whose message cannot be read',
    value: Object.defineProperty(new Error(), 'message', { get: fail }),
  },
  {
    shape: 'an error whose name cannot be read',
    value: Object.defineProperty(new Error('Wrong.'), 'name', { get: fail }),
  },
  { shape: 'an error whose message is a symbol', value: withMessage(Symbol('secret')) },
  { shape: 'a revoked proxy', value: revokedProxy({}) },
  { shape: 'a revoked proxy of an error', value: revokedProxy(new Error('Wrong.')) },
  {
    shape: 'a proxy that fails for everything',
    value: new Proxy({}, { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail }),
  },
  { shape: 'an object whose toString throws', value: { toString: fail, toJSON: fail } },
  { shape: 'an object whose toString returns an object', value: { toString: () => ({}) } },
  { shape: 'a symbol', value: Symbol('wrong') },
  { shape: 'a function', value: Object.assign(() => {}, { toString: fail }) },
  { shape: 'null', value: null },
];

function withMessage(message: unknown): Error {
  return Object.assign(new Error(), { message });
}

function revokedProxy(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}
