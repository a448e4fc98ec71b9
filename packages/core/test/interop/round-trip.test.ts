import { describe, expect, it } from 'vitest';
import {
  pydanticMessageCodec,
  pydanticRequestsCodec,
  pydanticResultsCodec,
} from 'holdpoint/pydantic';
import { type Fixture, parseExactly, readFixtures, writeExactly } from './fixtures.ts';
import { REJECTED_RESULTS } from './known-differences.ts';

const fixtures = readFixtures();

describe('messages that Pydantic AI stored', () => {
  it.each(fixtures)('are the same after a round trip: $name', ({ messages, loaded_messages }) => {
    const dumped = pydanticMessageCodec.toJSON(pydanticMessageCodec.fromJSON(messages));

    expect(dumped).toStrictEqual(loaded_messages ?? messages);
  });

  it.each(fixtures)('are the same after a round trip as text: $name', (fixture) => {
    const { messages, loaded_messages } = fixture;

    const text = pydanticMessageCodec.stringify(pydanticMessageCodec.parse(writeExactly(messages)));

    expect(parseExactly(text)).toStrictEqual(loaded_messages ?? messages);
  });

  it.each(fixtures)(
    'are the same after Pydantic AI continued them: $name',
    ({ resumed_messages }) => {
      if (resumed_messages === null) return;

      const dumped = pydanticMessageCodec.toJSON(pydanticMessageCodec.fromJSON(resumed_messages));

      expect(dumped).toStrictEqual(resumed_messages);
    },
  );
});

describe('requests that Pydantic AI stored', () => {
  const parked = fixtures.flatMap((fixture) =>
    (['requests', 'resumed_requests'] as const).flatMap((member) => {
      const requests = fixture[member];
      return requests === null ? [] : [{ name: fixture.name, member, requests }];
    }),
  );

  it.each(parked)('are the same after a round trip: $name, $member', ({ requests }) => {
    const text = pydanticRequestsCodec.stringify(
      pydanticRequestsCodec.parse(writeExactly(requests)),
    );

    expect(pydanticRequestsCodec.toJSON(pydanticRequestsCodec.fromJSON(requests))).toStrictEqual(
      requests,
    );
    expect(parseExactly(text)).toStrictEqual(requests);
  });
});

describe('tool results that Pydantic AI stored', () => {
  const withResults = fixtures.filter(
    (fixture): fixture is Fixture & { results: object } =>
      fixture.results !== null && !REJECTED_RESULTS.has(fixture.name),
  );

  it.each(withResults)('are the same after a round trip: $name', ({ results, loaded_results }) => {
    const text = pydanticResultsCodec.stringify(pydanticResultsCodec.parse(writeExactly(results)));

    expect(pydanticResultsCodec.toJSON(pydanticResultsCodec.fromJSON(results))).toStrictEqual(
      loaded_results ?? results,
    );
    expect(parseExactly(text)).toStrictEqual(loaded_results ?? results);
  });

  it.each([...REJECTED_RESULTS])('are rejected if they are invalid: %s', (name, path) => {
    const fixture = fixtures.find((each) => each.name === name);

    expect(() => pydanticResultsCodec.fromJSON(fixture?.results)).toThrow(
      expect.objectContaining({ path }),
    );
  });
});
