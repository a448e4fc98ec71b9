/**
 * The base of every error that Holdpoint throws on its own account.
 *
 * What a tool, a model or a handler throws is passed on unchanged and is not wrapped in this class.
 */
export abstract class AgentError extends Error {
  /** A stable identifier for programs; the message is for people and may change. */
  abstract readonly code: string;
}
