import { type RunContext, type Toolset, WrapperToolset } from 'holdpoint';
import type { ToolMap, ToolsetTool } from 'holdpoint/toolsets';
import { errorOf } from './describe.ts';
import type { LoggedToolsetSpec } from './scenario.ts';
import type { Stage, ToolsetLogRow } from './stage.ts';

/** Logs the method calls of the toolset that it wraps. */
export class LoggedToolset extends WrapperToolset {
  readonly #spec: LoggedToolsetSpec;
  readonly #stage: Stage;

  constructor(wrapped: Toolset, spec: LoggedToolsetSpec, stage: Stage) {
    super(wrapped);
    this.#spec = spec;
    this.#stage = stage;
  }

  override async forRun(ctx: RunContext): Promise<Toolset> {
    this.#log('for_run', ctx.runStep);
    const toolset = await super.forRun(ctx);
    return toolset === this && this.#spec.fresh_per_run ? this.wrap(this.wrapped) : toolset;
  }

  override forRunStep(ctx: RunContext): Promise<Toolset> {
    this.#log('for_run_step', ctx.runStep);
    return super.forRunStep(ctx);
  }

  override async open(): Promise<void> {
    this.#log('enter');
    if (this.#spec.fail_enter) throw errorOf('RuntimeError', `${this.#spec.tag} does not open.`);
    await super.open();
  }

  override async close(): Promise<void> {
    this.#log('exit');
    await super.close();
  }

  override async getTools(ctx: RunContext): Promise<ToolMap> {
    this.#log('get_tools', ctx.runStep);
    const onCall = (name: string, call: RunContext) =>
      this.#log('call_tool', name, call.toolName ?? null);
    const tools = [...(await super.getTools(ctx))];
    return new Map(tools.map(([name, tool]) => [name, new LoggedTool(tool, onCall)]));
  }

  protected override wrap(wrapped: Toolset): Toolset {
    return new LoggedToolset(wrapped, this.#spec, this.#stage);
  }

  #log(what: string, ...details: ToolsetLogRow): void {
    this.#stage.log.toolsetLog.push([what, this.#spec.tag, ...details]);
  }
}

/** Logs the execution of the tool that it wraps, and delegates to it. */
class LoggedTool implements ToolsetTool {
  readonly #inner: ToolsetTool;
  readonly #onCall: (name: string, ctx: RunContext) => void;

  constructor(inner: ToolsetTool, onCall: (name: string, ctx: RunContext) => void) {
    this.#inner = inner;
    this.#onCall = onCall;
  }

  get definition(): ToolsetTool['definition'] {
    return this.#inner.definition;
  }

  get executor(): object {
    return this.#inner.executor;
  }

  get maxRetries(): number | undefined {
    return this.#inner.maxRetries;
  }

  check(...args: Parameters<ToolsetTool['check']>): ReturnType<ToolsetTool['check']> {
    return this.#inner.check(...args);
  }

  validate(...args: Parameters<ToolsetTool['validate']>): void | Promise<void> {
    return this.#inner.validate(...args);
  }

  needsApproval(...args: Parameters<ToolsetTool['needsApproval']>): boolean | Promise<boolean> {
    return this.#inner.needsApproval(...args);
  }

  execute(...[permit, ctx]: Parameters<ToolsetTool['execute']>): unknown {
    this.#onCall(this.definition.name, ctx);
    return this.#inner.execute(permit, ctx);
  }
}
