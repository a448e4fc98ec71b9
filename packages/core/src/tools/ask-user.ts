import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { schemaProblems } from '../models/schema-problems.ts';
import { type JsonObject, toFrozenJson } from '../internal/json.ts';
import type { JsonSchema } from '../models/tool-definition.ts';
import { fromJsonSchema } from './input-schema.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { InputRequired, ModelRetry } from './signals.ts';
import { tool } from './define-tool.ts';
import type { Tool } from './tool.ts';

/** Options of {@link askUser}. */
export interface AskUserOptions {
  /** The name of the tool; `ask_user` by default. */
  readonly name?: string | undefined;
  /** The description for the model. */
  readonly description?: string | undefined;
}

const ASK_OPTIONS: OptionTable<AskUserOptions> = { name: 'string', description: 'string' };

const DESCRIPTION =
  'Asks the user a question and returns the text of the user. Use it if you need information that only the user has.';

/** The arguments of the tool that {@link askUser} returns. */
export interface AskUserArgs {
  readonly question: string;
  /** The values that the user can choose from. */
  readonly options?: readonly string[] | undefined;
}

const SCHEMA: JsonSchema = Object.freeze({
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1 },
    options: {
      type: 'array',
      items: { type: 'string' },
      minItems: 2,
      description: 'The values that the user can choose from. Leave it out for a free text.',
    },
  },
  required: ['question'],
  additionalProperties: false,
});

/**
 * Returns a tool with which the model asks the user a question. The call is pending until the user responds, like every
 * question. The result is the input of the user.
 *
 * @example
 * const agent = new Agent({ model, tools: [askUser()], output: [String, DeferredToolRequests] })
 */
export function askUser(options: AskUserOptions = {}): Tool<unknown, DeepReadonly<AskUserArgs>> {
  checkOptions('`askUser`', options, ASK_OPTIONS);
  const { name = 'ask_user', description = DESCRIPTION } = options;
  return tool({
    name,
    description,
    inputSchema: fromJsonSchema<AskUserArgs>(SCHEMA, validateQuestion),
    execute({ question, options: choices }, ctx) {
      if (ctx.input !== undefined) return ctx.input;
      const schema = { type: 'string', ...(choices && { enum: [...choices] }) } as const;
      throw new InputRequired({ message: question, schema });
    },
  });
}

function validateQuestion(value: unknown): AskUserArgs {
  // A schema is JSON.
  const problems = schemaProblems(SCHEMA as JsonObject, toFrozenJson(value, 'args'));
  if (problems.length > 0) throw new ModelRetry(problems.join(' '));
  // Validated above.
  return value as AskUserArgs;
}
