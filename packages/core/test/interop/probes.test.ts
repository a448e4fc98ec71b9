import { InvalidJsonError } from 'holdpoint';
import {
  pydanticMessageCodec,
  pydanticRequestsCodec,
  pydanticResultsCodec,
} from 'holdpoint/pydantic';
import { describe, expect, it } from 'vitest';
import { type Probe, readProbes } from './fixtures.ts';
import { OTHER_PROBES, REJECTED_PROBES } from './known-differences.ts';

/** Loads the document of a probe, and returns a function that dumps it again. */
function load({ target, json }: Probe): () => unknown {
  switch (target) {
    case 'messages': {
      const messages = pydanticMessageCodec.fromJSON(json);
      return () => pydanticMessageCodec.toJSON(messages);
    }
    case 'requests': {
      const requests = pydanticRequestsCodec.fromJSON(json);
      return () => pydanticRequestsCodec.toJSON(requests);
    }
    case 'results': {
      const results = pydanticResultsCodec.fromJSON(json);
      return () => pydanticResultsCodec.toJSON(results);
    }
  }
}

const probes = readProbes();
const taken = (probe: Probe) => probe.accepted && !REJECTED_PROBES.has(probe.name);

describe('a document that Pydantic AI rejects', () => {
  it.each(probes.filter((probe) => !probe.accepted))('is rejected: $target, $name', (probe) => {
    expect(() => load(probe)).toThrow(InvalidJsonError);
  });
});

describe('a document that Pydantic AI loads', () => {
  it.each(probes.filter(taken))('loads to the same value: $target, $name', (probe) => {
    const dump = load(probe);

    if (probe.dump_error !== undefined) expect(dump).toThrow(InvalidJsonError);
    else expect(dump()).toStrictEqual(OTHER_PROBES.get(probe.name) ?? probe.dump);
  });

  it.each([...REJECTED_PROBES])('is rejected if loading would lose data: %s', (name, path) => {
    const probe = probes.find((each) => each.name === name);
    if (probe === undefined) throw new Error(`There is no probe '${name}'.`);

    expect(() => load(probe)).toThrow(expect.objectContaining({ path }));
  });
});
