import { pydanticMessageCodec } from 'holdpoint/pydantic';
import { describe, expect, it } from 'vitest';
import { asStored, comparable, describeOutput, outputOf } from './compare.ts';
import { type Fixture, readFixtures, type Run } from './fixtures.ts';
import { FixtureAgent } from './run-fixture.ts';

const run = readFixtures().filter(
  (fixture): fixture is Fixture & { run: Run } => fixture.run !== null,
);

describe('a run of Holdpoint', () => {
  it.each(run)('parks with the same JSON as Pydantic AI: $name', async (fixture) => {
    const { history } = fixture.run;
    const given = history ? { messageHistory: pydanticMessageCodec.fromJSON(history) } : {};

    const ended = await new FixtureAgent(fixture).run(fixture.run, given);

    expect(ended.error).toBeUndefined();
    expect(comparable(asStored(ended.messages), false)).toStrictEqual(
      comparable(fixture.messages, false),
    );
    expect(describeOutput(ended.output)).toStrictEqual(outputOf(fixture.run, fixture.requests));
  });
});
