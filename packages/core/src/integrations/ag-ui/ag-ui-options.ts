import type { AnyTools, AnyToolsets } from '../../agent/agent-options.ts';
import type { OutputSpec } from '../../output/output-spec.ts';
import type { ChatAccess } from '../front-end/chat-backend.ts';
import type {
  ChatBackendOptions,
  ChatHandlerOptions,
  ChatOptions,
} from '../front-end/chat-options.ts';

/** Options of `agUiHandler` in addition to those of `chatHandler`. */
export interface ClientToolOptions {
  /** Offers the tools that the client sends to the model. Their calls are external. Defaults to true. */
  readonly clientTools?: boolean | undefined;
}

/** Options of `agUiHandler` that do not depend on the storage. */
export interface AgUiOptions<Access extends ChatAccess>
  extends ChatOptions<Access>,
    ClientToolOptions {}

/** Options of `agUiHandler` with an agent of this process. */
export type AgUiHandlerOptions<
  Access extends ChatAccess,
  Tools extends AnyTools,
  Output extends OutputSpec,
  Own,
  Toolsets extends AnyToolsets,
> = ChatHandlerOptions<Access, Tools, Output, Own, Toolsets> & ClientToolOptions;

/** Options of `agUiHandler` with another backend, such as a desk. */
export type AgUiBackendOptions<Access extends ChatAccess> = ChatBackendOptions<Access> &
  ClientToolOptions;
