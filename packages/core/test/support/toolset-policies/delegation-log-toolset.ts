import type { Toolset } from 'holdpoint';
import type { Delegation } from 'holdpoint/toolsets';
import { LivedToolset } from '../toolsets.ts';

/** The `forSubAgent` of a {@link DelegationLogToolset}. */
type ForSubAgent = (delegation: Delegation) => Toolset | Promise<Toolset>;

/** A toolset that also logs the calls of `forSubAgent`. */
export class DelegationLogToolset extends LivedToolset {
  readonly delegations: Delegation[] = [];
  readonly #log: string[];
  readonly #forSubAgent: ForSubAgent | undefined;

  constructor(
    id: string,
    log: string[] = [],
    life: ConstructorParameters<typeof LivedToolset>[2] & {
      readonly forSubAgent?: ForSubAgent | undefined;
    } = {},
  ) {
    super(id, log, life);
    this.#log = log;
    this.#forSubAgent = life.forSubAgent;
  }

  async forSubAgent(delegation: Delegation): Promise<Toolset> {
    this.#log.push(`${this.id} forSubAgent`);
    this.delegations.push(delegation);
    return (await this.#forSubAgent?.(delegation)) ?? this;
  }
}
