import {
  AbstractToolset,
  FunctionToolset,
  type Message,
  type RunContext,
  type Tool,
  type Toolset,
  tool,
} from 'holdpoint';
import type { ToolMap } from 'holdpoint/toolsets';
import type { ScriptedModel } from 'holdpoint/testing';
import { partsOf } from './conversation.ts';

/** Creates a tool without arguments that returns the name in its own toolset. */
export function named(name: string): Tool {
  return tool({ name, execute: (_args, ctx) => `${ctx.toolName} ran` });
}

/** A toolset of such tools. */
export function toolsetOf(...names: readonly string[]): FunctionToolset {
  return new FunctionToolset(names.map(named));
}

/** Returns the names of the tools offered in each request. */
export function offeredTo(model: ScriptedModel): readonly (readonly string[])[] {
  return model.calls.map((call) => call.functionTools.map(({ name }) => name));
}

/** Returns the results and retry prompts of tools, in order. */
export function resultsIn(messages: readonly Message[]): readonly unknown[] {
  return partsOf(messages).flatMap((part) => {
    if (part.kind === 'tool-return') return [part.content];
    return part.kind === 'retry-prompt' ? [`retry ${part.toolName}`] : [];
  });
}

/** The options of a {@link LivedToolset}. */
interface Life {
  readonly tools?: readonly Tool[] | undefined;
  /** Called when it opens; may throw or take time. */
  readonly whenOpening?: (() => void | Promise<void>) | undefined;
  readonly whenClosing?: (() => void | Promise<void>) | undefined;
  readonly forRun?: ((ctx: RunContext) => Toolset | Promise<Toolset>) | undefined;
  readonly forRunStep?: ((ctx: RunContext) => Toolset | Promise<Toolset>) | undefined;
}

/** A toolset that logs its lifecycle and counts how often it is open. */
export class LivedToolset extends AbstractToolset {
  readonly #id: string;
  readonly #log: string[];
  readonly #life: Life;
  readonly #tools: FunctionToolset;
  /** Number of times it is open; at most one if opening is counted. */
  opened = 0;
  maxOpened = 0;
  timesOpened = 0;

  constructor(id: string, log: string[] = [], life: Life = {}) {
    super();
    this.#id = id;
    this.#log = log;
    this.#life = life;
    this.#tools = new FunctionToolset(life.tools ?? [named(`use_${id}`)]);
  }

  override get id(): string {
    return this.#id;
  }

  get label(): string {
    return `lived toolset '${this.#id}'`;
  }

  async forRun(ctx: RunContext): Promise<Toolset> {
    this.#log.push(`${this.#id} forRun`);
    return (await this.#life.forRun?.(ctx)) ?? this;
  }

  async open(): Promise<void> {
    this.#log.push(`${this.#id} open`);
    await this.#life.whenOpening?.();
    this.opened += 1;
    this.timesOpened += 1;
    this.maxOpened = Math.max(this.maxOpened, this.opened);
  }

  async forRunStep(ctx: RunContext): Promise<Toolset> {
    this.#log.push(`${this.#id} forRunStep ${ctx.runStep}`);
    return (await this.#life.forRunStep?.(ctx)) ?? this;
  }

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    this.#log.push(`${this.#id} getTools ${ctx.runStep}`);
    return this.#tools.getTools(ctx);
  }

  async close(): Promise<void> {
    this.opened -= 1;
    this.#log.push(`${this.#id} close`);
    await this.#life.whenClosing?.();
  }
}
