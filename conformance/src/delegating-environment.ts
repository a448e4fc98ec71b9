import type { Environment } from 'holdpoint/agents';

/** Delegates to an environment. Subclasses replace `step`. */
export abstract class DelegatingEnvironment implements Environment {
  protected readonly inner: Environment;

  constructor(inner: Environment) {
    this.inner = inner;
  }

  abstract step<T>(name: string, action: () => Promise<T>): Promise<T>;

  now(): number {
    return this.inner.now();
  }

  newId(): string {
    return this.inner.newId();
  }

  random(): number {
    return this.inner.random();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.inner.sleep(ms, signal);
  }

  all<T>(
    promises: readonly Promise<T>[],
    each?: (value: T, index: number) => void,
  ): Promise<readonly T[]> {
    return this.inner.all(promises, each);
  }

  race<T>(promises: readonly Promise<T>[]): Promise<T> {
    return this.inner.race(promises);
  }

  replaying(): boolean {
    return this.inner.replaying();
  }
}
