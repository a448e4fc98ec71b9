/** Types of tools and schemas, selectors and signatures. */

export { isAlwaysDeferred, type OnInDoubt, type ToolKind } from '../models/tool-definition.ts';
export type {
  AnyFunction,
  DeepReadonly,
  IsData,
  Primitive,
  ReadonlyList,
  ReadonlyParts,
} from '../tools/deep-readonly.ts';
export type { AskUserArgs, AskUserOptions } from '../tools/ask-user.ts';
export type { SchemaValidation } from '../tools/input-schema.ts';
export { type KnownTools, knownToolsOf } from '../tools/known-tools.ts';
export type { CallOf } from '../tools/matched-call.ts';
export type { Permit } from '../tools/permit.ts';
export { jsonTextProblem } from '../tools/parse-args.ts';
export { renderSignature, type SignatureOptions } from '../tools/schema-to-type.ts';
export { schemaToType } from '../tools/schema-to-type.ts';
export type {
  DeferralOptions,
  InputRequiredOptions,
  NotReturnOptions,
  ToolReturnOptions,
} from '../tools/signals.ts';
export type {
  InferOutput,
  JsonSchemaConverter,
  StandardIssue,
  StandardJsonSchemaConverter,
  StandardResult,
} from '../tools/standard-schema.ts';
export { matchesToolSelector, type ToolSelector } from '../tools/tool-selector.ts';
export type { ApprovalCheck, ArgsValidator, ToolPrepare, ToolPreview } from '../tools/tool.ts';
