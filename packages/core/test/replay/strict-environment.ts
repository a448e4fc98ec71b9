import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from 'holdpoint/agents';

/**
 * Delegates to an environment and enforces the rules of the port.
 *
 * A durable engine can only await promises that it created, and rejects a step within a step. Both
 * are errors here.
 */
export function strictEnvironment(inner: Environment): Environment {
  const created = new WeakSet<Promise<unknown>>();
  const insideStep = new AsyncLocalStorage<string>();
  const create = <T>(promise: Promise<T>): Promise<T> => {
    created.add(promise);
    return promise;
  };
  const requireOutside = (member: string) => {
    const step = insideStep.getStore();
    if (step === undefined) return;
    throw new Error(`\`environment.${member}\` was called inside the step \`${step}\`.`);
  };
  const requireCreated = (member: string, promises: readonly Promise<unknown>[]) => {
    if (promises.every((promise) => created.has(promise))) return;
    throw new Error(`\`environment.${member}\` received a promise of another origin.`);
  };
  return {
    now() {
      requireOutside('now');
      return inner.now();
    },
    newId() {
      requireOutside('newId');
      return inner.newId();
    },
    random() {
      requireOutside('random');
      return inner.random();
    },
    sleep(ms, signal) {
      requireOutside('sleep');
      return create(inner.sleep(ms, signal));
    },
    step(name, action) {
      requireOutside('step');
      return create(inner.step(name, () => insideStep.run(name, action)));
    },
    all(promises, each) {
      requireCreated('all', promises);
      return create(inner.all(promises, each));
    },
    race(promises) {
      requireCreated('race', promises);
      return create(inner.race(promises));
    },
    replaying: () => inner.replaying(),
  };
}
