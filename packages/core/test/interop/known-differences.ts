/** Results that Pydantic AI accepts and this package rejects, by fixture, with the path of the problem. */
export const REJECTED_RESULTS: ReadonlyMap<string, string> = new Map([
  // An approval is a boolean, not a word for one.
  ['results_minimal', 'approvals.m0'],
  // An object with an unknown `kind` is not a plain value.
  ['results_plain_kinds', 'calls.k1.kind'],
]);

/** Documents that Pydantic AI accepts and this package rejects, by probe, with the path of the problem. */
export const REJECTED_PROBES: ReadonlyMap<string, string> = new Map([
  ['user content item without kind BECOMES A CACHE POINT', 'messages[0].parts[0].content[0].kind'],
  ['user content item text dict BECOMES A CACHE POINT', 'messages[0].parts[0].content[0].kind'],
  ['approval "no"', 'approvals.a'],
  ['tool-return bad content NOT RECOGNISED', 'calls.a.content'],
  ['model-retry without message NOT RECOGNISED', 'calls.a.message'],
  ['model-retry spelled with part_kind NOT RECOGNISED', 'calls.a.part_kind'],
]);

/** Documents that this package loads with more detail: a file in a value becomes a file. */
export const OTHER_PROBES: ReadonlyMap<string, unknown> = new Map([
  [
    'tool-return file in return_value NOT RECOGNISED',
    {
      calls: {
        a: {
          kind: 'tool-return',
          return_value: {
            kind: 'binary',
            data: 'AP8=',
            media_type: 'image/png',
            vendor_metadata: null,
            identifier: 'aa3e5d',
          },
        },
      },
      approvals: {},
      metadata: {},
    },
  ],
]);

/** Fixtures that resume without a feature of the reference, with that feature. */
export const RESUMED_WITHOUT: ReadonlyMap<string, string> = new Map([
  ['capability_load', 'the capability is not loaded again'],
  ['native_tool_search', "the search is not offered as the provider's own"],
  ['native_tools', 'the agent does not offer the native tools itself'],
]);

/**
 * Fixtures in which the model receives other messages, with the reason. The reference rewrites
 * parts that a model may not support before the request. Here every adapter receives the parts and
 * rewrites them.
 */
export const SEEN_DIFFERENTLY: ReadonlyMap<string, string> = new Map([
  ['capability_load', 'new tools are left out there, and a part here'],
  ['compaction_and_speech', 'speech is text there, and a part here'],
  ['interrupted_crash', 'a request that was merged is complete there, and still interrupted here'],
  ['legacy_delta_added', 'new tools are left out there, and a part here'],
  ['native_tool_search', 'a search by the provider is one by a function there'],
  ['tool_availability_delta', 'new tools are a user prompt there, and a part here'],
]);
