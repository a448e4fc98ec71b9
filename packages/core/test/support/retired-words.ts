/** Kinds of text that a rule applies to. */
export type TextKind = 'identifier' | 'comment' | 'string' | 'markdown' | 'path' | 'condition';

/** A word or phrase that `docs/glossary.md` replaces with another one. */
export interface WordRule {
  /** Matches lower-case prose, or the words of an identifier or path with spaces between them. */
  readonly pattern: RegExp;
  /** The advice that a problem ends with. */
  readonly advice: string;
  /** The kinds of text that it applies to; all if missing. */
  readonly kinds?: readonly TextKind[];
  /** Restricts the rule to paths that match. */
  readonly paths?: RegExp;
}

const PROSE: readonly TextKind[] = ['comment', 'string', 'markdown'];
const NAMES: readonly TextKind[] = ['identifier', 'path'];

/** The source of the core, without its tests. */
const SOURCE = /^packages\/core\/src\/(?!.*\.test(-d)?\.ts$)/;

/** Words that are retired in prose and in names. */
const WORDS: readonly WordRule[] = [
  {
    pattern: /\b(some|no|any|every)body\b|\bwhoever\b/,
    advice: 'name the actor: approver, requester, caller, handler, worker, model',
  },
  {
    pattern: /\b(un)?answer(s|ed|ing)?\b/,
    advice: 'write decision, result, response, text output, expired or superseded',
  },
  { pattern: /\brepl(y|ies|ied)\b/, advice: 'write response' },
  { pattern: /\basked\b/, advice: 'write approval request, or requested' },
  { pattern: /\b(tell|tells|told|telling)\b/, advice: 'write emit, notify, record or state' },
  { pattern: /\b(goes|go|going|went|gone) on\b/, advice: 'write resume or continue' },
  { pattern: /\blet(s|ting)? through\b/, advice: 'write permit' },
  { pattern: /\brefus(e|es|ed|ing|al)\b/, advice: 'write reject' },
  { pattern: /\blook(s|ed|ing)? at\b/, advice: 'write validate, read or review' },
  { pattern: /\bconclud(e|es|ed|ing)\b/, advice: 'write execute or finish' },
  // At the desk, engines perform tasks.
  {
    pattern: /\bperform(s|ed|ing)?\b/,
    advice: 'write execute or finish',
    paths: /^(packages\/(core|cli)|conformance|bench)\//,
  },
  { pattern: /\b(came|comes?|becomes?|became|become) of\b/, advice: 'write outcome' },
  { pattern: /\bsigns? of life\b/, advice: 'write heartbeat' },
  { pattern: /\bnoted\b|\bwr(ite|ites|ote|itten) down\b/, advice: 'write record' },
  {
    pattern: /\b(open|waiting|placed) calls?\b|\bwhat waits\b|\bcalls? that waits?\b/,
    advice: 'write pending call',
  },
  { pattern: /\b(comes?|came) to wait\b/, advice: 'write defer' },
  {
    pattern: /\b(agents?|runs?|calls?|requests?|results?) (below|behind)\b/,
    advice: 'write sub-agent or nested',
  },
  {
    pattern: /\bours\b|\bown (messages|ids|frozen)\b|\bis own\b/,
    advice: 'write trusted or unique',
  },
  { pattern: /\bwire\b/, advice: 'write model history, or the name of the format' },
  { pattern: /\bbecomes? something else\b/, advice: 'write drift' },
  { pattern: /\b(lapse[sd]?|surroundings|insides)\b/, advice: 'use the word of the glossary' },
  { pattern: /\bunder way\b/, advice: 'write executing, current or in progress' },
  { pattern: /\bso many\b/, advice: 'write the number of' },
  { pattern: /\bfor ever\b/, advice: 'write never, or without an end' },
];

/** Constructs of the dialect that occur in names only. */
const NAME_RULES: readonly WordRule[] = [
  { pattern: /^(most|longest) (?!recent)/, advice: 'start a limit with `max`', kinds: NAMES },
  { pattern: /^note [a-z]/, advice: 'write record', kinds: NAMES },
  { pattern: /^placed?( |$)| placed?( |$)/, advice: 'write index or pending', kinds: NAMES },
  { pattern: /\b(keep|note|describe|open) waiting\b/, advice: 'write deferred', kinds: NAMES },
  { pattern: /\b(brought|below)\b/, advice: 'write contributions or nested', kinds: NAMES },
  { pattern: /\blet in\b|\blooked\b/, advice: 'use a verb of the glossary', kinds: NAMES },
];

/** Sentences without a subject, and arguments about the engine. */
const PROSE_RULES: readonly WordRule[] = [
  {
    pattern: /(^|[.!] )how (many|much|often|long)\b(?![^.!]*\?)/,
    advice: 'name the measure: the number, the time, the duration',
    kinds: ['comment'],
  },
  {
    pattern: /(^|[.!] )(what|whatever|whether|where|whoever|those that)\b(?![^.!]*\?)/,
    advice: 'start the sentence with a verb or a noun',
    kinds: ['comment', 'markdown'],
  },
  {
    pattern:
      /\b(v8|nanoseconds?|microseconds?|hidden class|inline cache|old generation)\b|\d ns\b|µs/,
    advice: 'move measurements to docs/performance.md, and delete reasons about the engine',
    kinds: PROSE,
    paths: SOURCE,
  },
];

/** Constructs that the source does not use. */
const CODE_RULES: readonly WordRule[] = [
  {
    pattern: /instanceof promise$/,
    advice: 'await the value',
    kinds: ['condition'],
    paths: SOURCE,
  },
];

/** Every rule of the words test. */
export const WORD_RULES: readonly WordRule[] = [
  ...WORDS,
  ...NAME_RULES,
  ...PROSE_RULES,
  ...CODE_RULES,
];

/** A use of a retired word that is correct, with the reason. */
export interface WordException {
  readonly path: RegExp;
  readonly match: RegExp;
  readonly reason: string;
}

/** Uses that stay. Add one only if the word is not ours to choose. */
export const WORD_EXCEPTIONS: readonly WordException[] = [
  {
    path: /^packages\/core\/test\/(support\/retired-words|words\.test)\.ts$|^docs\/glossary\.md$/,
    match: /./,
    reason: 'These files define the retired words.',
  },
  {
    path: /^docs\/performance\.md$/,
    match: /v8|µs|nanosecond|microsecond/,
    reason: 'Measurements belong in this document.',
  },
];
