import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/run-program.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
/** The API reports. The base class of results is not exported, so its source is added. */
const api = [
  ...globSync('packages/core/api/*.api.md', { cwd: repository }),
  'packages/core/src/agent/run-handle.ts',
]
  .map(read)
  .join('\n');

/** Returns the code in one column of the tables of a document. */
function namesIn(document: string, column: number): string[] {
  const rows = read(document).matchAll(/^\|(.+)\|$/gm);
  const cells = [...rows].map(([, row = '']) => row.split(' | ')[column] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
}

/** Returns the names in a piece of code. */
function wordsIn(code: string): string[] {
  const said = code.replaceAll(/'[^']*'|\b(?:new|throw|await|using|in|ctx|agent|result)\b/g, '');
  return said.match(/[A-Za-z]\w+/g) ?? [];
}

/**
 * Public names of `pydantic_ai.tools`, as its documentation lists them, without those of the
 * context.
 */
const TOOLS_MODULE =
  `DeferredToolRequests build_results remaining ToolApproved override_args ToolDenied
  DeferredToolResults update to_tool_call_results Tool function_schema takes_ctx max_retries name
  description prepare args_validator docstring_format require_parameter_descriptions schema_generator
  strict sequential requires_approval metadata timeout defer_loading include_return_schema from_schema
  prepare_tool_def ToolDefinition parameters_json_schema outer_typed_dict_key kind unless_native
  with_native tool_kind return_schema function_signature defer render_signature matches_tool_selector
  AgentDepsT ToolParams SystemPromptFunc ToolFuncContext ToolFuncPlain ToolFuncEither ArgsValidatorFunc
  ToolPrepareFunc ToolsPrepareFunc ToolSelectorFunc ToolSelector NativeToolFunc AgentNativeTool
  DocstringFormat DeferredToolApprovalResult DeferredToolCallResult DeferredToolResult ToolAgentDepsT
  ObjectJsonSchema ToolKind`.split(/\s+/);

const RUN_CONTEXT = `deps model usage agent prompt messages validation_context tracer
  trace_include_content instrumentation_version retries tool_call_id tool_name retry max_retries run_step
  tool_call_approved tool_call_metadata partial_output run_id conversation_id metadata model_settings
  tool_manager last_attempt`.split(/\s+/);

describe('the table for users of Pydantic AI', () => {
  it('contains every name of its tools module and every field of its context', () => {
    const named = namesIn('docs/from-pydantic-ai.md', 0).flatMap(
      (code) => code.match(/\w+/g) ?? [],
    );

    expect(TOOLS_MODULE.filter((name) => !named.includes(name))).toEqual([]);
    const fields = namesIn('docs/run-context.md', 0);
    expect(RUN_CONTEXT.filter((name) => !fields.includes(name))).toEqual([]);
  });

  it.each(['docs/from-pydantic-ai.md', 'docs/run-context.md'])(
    'names nothing in %s that is missing in the API',
    (document) => {
      const words = new Set(namesIn(document, 1).flatMap(wordsIn));

      expect(words.size).toBeGreaterThan(20);
      const known = new Set(api.match(/\w+/g));
      expect([...words].filter((word) => !known.has(word))).toEqual([]);
    },
  );
});
