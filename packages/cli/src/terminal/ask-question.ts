import { type JsonObject, type JsonValue, ToolInput } from 'holdpoint';
import { schemaProblems } from 'holdpoint/deferral';
import { type ApprovalCallDecision, askReason } from './ask-call.ts';
import type { PendingCall } from './pending-call.ts';
import { BACK, type Back, type Choice, type PromptContext, quitError } from './prompter.ts';
import { visible } from './visible.ts';

type QuestionChoice = 'respond' | 'decline' | 'quit';

function choicesWith(quitHint: string): readonly Choice<QuestionChoice>[] {
  return [
    { value: 'respond', label: 'Respond' },
    { value: 'decline', label: 'Decline with a reason' },
    { value: 'quit', label: 'Quit', hint: quitHint },
  ];
}

/** The terminal of a form. */
type FormContext = Pick<PromptContext, 'screen' | 'prompter'>;

/** Prompts for the input of a question, with one prompt per field of its schema. */
export async function askQuestion(
  context: FormContext,
  call: PendingCall,
  quitHint = 'end the run; pending calls are not executed',
): Promise<ApprovalCallDecision> {
  const { message = '', schema = {} } = call.details.question ?? {};
  for (;;) {
    const choice = await context.prompter.choose(message, choicesWith(quitHint), 'respond');
    if (choice === 'quit') throw quitError();
    if (choice === BACK) continue;
    const decision =
      choice === 'decline' ? await askReason(context) : await askInput(context, schema);
    if (decision !== BACK) return decision;
  }
}

async function askInput(
  context: FormContext,
  schema: JsonObject,
): Promise<ApprovalCallDecision | Back> {
  const fields = fieldsOf(schema);
  const value =
    fields === undefined
      ? await askValue(context, { label: 'Value', schema, isRequired: true })
      : await askFields(context, fields);
  if (value === BACK || value === SKIPPED) return BACK;
  const problems = schemaProblems(schema, value);
  if (problems.length === 0) return { kind: 'approval', decision: new ToolInput(value) };
  context.screen.block(problems.map((text) => ({ text: visible(text), style: 'red' as const })));
  return BACK;
}

/** A field of a form. */
interface Field {
  readonly label: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The value of an optional field that was left empty. */
const SKIPPED: unique symbol = Symbol('skipped');
type Skipped = typeof SKIPPED;

async function askFields(
  context: FormContext,
  fields: ReadonlyMap<string, Field>,
): Promise<JsonObject | Back> {
  const entries: [string, JsonValue][] = [];
  for (const [name, field] of fields) {
    const value = await askValue(context, field);
    if (value === BACK) return BACK;
    if (value !== SKIPPED) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

/** Returns the fields of an object whose members are simple; `undefined` for any other schema. */
function fieldsOf(schema: JsonObject): ReadonlyMap<string, Field> | undefined {
  const { type, properties, required = [] } = schema;
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required)) return undefined;
  const fields = new Map<string, Field>();
  for (const [name, member] of Object.entries(properties)) {
    if (!isObject(member) || !isSimple(member)) return undefined;
    const label = typeof member['title'] === 'string' ? member['title'] : name;
    fields.set(name, { label, schema: member, isRequired: required.includes(name) });
  }
  return fields;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSimple({ type, enum: options }: JsonObject): boolean {
  if (Array.isArray(options)) return options.every((option) => typeof option === 'string');
  return type === 'string' || type === 'number' || type === 'integer' || type === 'boolean';
}

function askValue(context: FormContext, field: Field): Promise<JsonValue | Back | Skipped> {
  const { enum: options, type } = field.schema;
  if (Array.isArray(options) && isSimple(field.schema)) {
    return chooseValue(context, field, new Map(options.map((one) => [String(one), one])));
  }
  if (type === 'boolean') {
    return chooseValue(
      context,
      field,
      new Map<string, JsonValue>([
        ['Yes', true],
        ['No', false],
      ]),
    );
  }
  return writeValue(context, field);
}

const SKIP = '(none)';

async function chooseValue(
  { prompter }: FormContext,
  { label, isRequired }: Field,
  values: ReadonlyMap<string, JsonValue>,
): Promise<JsonValue | Back | Skipped> {
  const labels = isRequired ? [...values.keys()] : [SKIP, ...values.keys()];
  const choices = labels.map((value) => ({ value, label: value }));
  const chosen = await prompter.choose(label, choices, labels[0] ?? SKIP);
  if (chosen === BACK) return BACK;
  return values.get(chosen) ?? SKIPPED;
}

async function writeValue(
  { prompter }: FormContext,
  field: Field,
): Promise<JsonValue | Back | Skipped> {
  const { schema, isRequired, label } = field;
  const isJson = !isSimple(schema);
  const optional = isRequired ? '' : ' (optional)';
  const written = await prompter.write({
    message: `${label}${optional}${isJson ? ', as JSON' : ''}. Enter: done. Esc: back.`,
    problem: (text) => {
      const value = readValue(field, text);
      if (value === undefined) return isJson ? 'This is not JSON.' : 'Type a number.';
      return value === SKIPPED ? undefined : schemaProblems(schema, value)[0];
    },
  });
  if (written === BACK) return BACK;
  return readValue(field, written) ?? BACK; // the prompt has validated it
}

/** Returns the value of a typed text, or `undefined` if it has none. */
function readValue({ schema, isRequired }: Field, text: string): JsonValue | Skipped | undefined {
  if (!isRequired && text.trim() === '') return SKIPPED;
  if (schema['type'] === 'string') return text;
  if (schema['type'] === 'number' || schema['type'] === 'integer') {
    const number = Number(text);
    return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
  }
  try {
    // The result of `JSON.parse` is JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
