import { DeferredToolResults, UserError } from 'holdpoint';
import { pydanticMessageCodec, pydanticResultsCodec } from 'holdpoint/pydantic';
import { describe, expect, it } from 'vitest';
import { untyped } from '../support/untyped.ts';
import { asStored, comparable, describeOutput, outputOf, rounded } from './compare.ts';
import { type Fixture, type Json, readFixtures, type Resume, writeExactly } from './fixtures.ts';
import { REJECTED_RESULTS, RESUMED_WITHOUT, SEEN_DIFFERENTLY } from './known-differences.ts';
import { FixtureAgent } from './run-fixture.ts';

type Resumable = Fixture & { resume: Resume; resumed_messages: readonly Json[] };

const resumable = readFixtures().filter(
  (fixture): fixture is Resumable => fixture.resume !== null && fixture.resumed_messages !== null,
);

describe('a run that Pydantic AI parked or ended', () => {
  it.each(resumable)('resumes as with Pydantic AI: $name', async (fixture) => {
    const { resume, resumed_messages: expected } = fixture;
    const history = fixture.loaded_messages ?? fixture.messages;
    const agent = new FixtureAgent(fixture);
    if (fixture.run !== null) await agent.run(fixture.run);

    const run = await agent.run(resume, {
      messageHistory: pydanticMessageCodec.parse(writeExactly(fixture.messages)),
      ...resultsOf(fixture),
    });

    if (resume.output.kind === 'error') expect(run.error).toBeInstanceOf(UserError);
    else expect(run.error).toBeUndefined();
    const stored = asStored(run.messages);
    const hadConversation = history.some((message) => message['conversation_id'] !== null);
    expect(stored.slice(0, history.length)).toStrictEqual(history);
    expect(comparable(stored.slice(history.length), hadConversation)).toStrictEqual(
      comparable(expected.slice(history.length), hadConversation),
    );
    if (!SEEN_DIFFERENTLY.has(fixture.name)) {
      expect(run.seen && comparable(asStored(run.seen), false)).toStrictEqual(
        resume.model_saw ? comparable(resume.model_saw, false) : undefined,
      );
    }
    expect(describeOutput(run.output)).toStrictEqual(outputOf(resume, fixture.resumed_requests));
    expect(asStored(run.newMessages)).toHaveLength(resume.new_message_count);
    expect(run.invocations.map(describeInvocation)).toStrictEqual(resume.tool_invocations);
  });

  it('resumes without native tools and loaded capabilities only in the listed fixtures', () => {
    const needing = resumable.filter(({ agent, messages }) =>
      /"tool_kind":"capability-load"|"builtin-tool-call"/.test(writeExactly({ agent, messages })),
    );

    expect(needing.map(({ name }) => name)).toEqual([...RESUMED_WITHOUT.keys()]);
  });
});

/** Returns the results of a fixture, with the intended values in place of rejected ones. */
function resultsOf({ name, results, loaded_results }: Fixture) {
  const stored = loaded_results ?? results;
  if (stored === null) return {};
  // Values in a run are JavaScript JSON, without big integers.
  const json = rounded(stored);
  const isRejected = REJECTED_RESULTS.has(name) && loaded_results === undefined;
  return {
    deferredToolResults: isRejected
      ? new DeferredToolResults(untyped<DeferredToolResults>(json))
      : pydanticResultsCodec.fromJSON(json),
  };
}

function describeInvocation({ tool, args, ctx }: Json): Json {
  const { tool_call_id, tool_call_approved: approved, tool_call_metadata: metadata } = ctx as Json;
  return { tool, args, tool_call_id, approved, metadata };
}
