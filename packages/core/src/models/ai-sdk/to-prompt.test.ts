import { describe, expect, it } from 'vitest';
import { messageCodec } from '../../messages/codec/index.ts';
import { deepFreeze } from '../../internal/json.ts';
import { continueHistory } from '../../messages/open-history.ts';
import { PromptConverter } from './to-prompt.ts';
import {
  format,
  convert,
  request,
  response,
  said,
  text,
  returned,
} from '../../../test/support/prompt-conversion.ts';

describe('system prompts and instructions', () => {
  it('come first, system prompts before instructions', () => {
    const messages = [
      request(
        { kind: 'system-prompt', content: 'You are a cook.' },
        { kind: 'user-prompt', content: 'Hello' },
      ),
      response({ kind: 'text', content: 'Hi.' }),
      request(
        { kind: 'system-prompt', content: 'You are a baker.' },
        { kind: 'user-prompt', content: 'Bread?' },
      ),
    ];

    expect(convert(messages, 'Be brief.')).toEqual([
      { role: 'system', content: 'You are a cook.' },
      { role: 'system', content: 'You are a baker.' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [text('Hello')] },
      { role: 'assistant', content: [text('Hi.')] },
      { role: 'user', content: [text('Bread?')] },
    ]);
  });

  it('contain the current instructions', () => {
    const converter = new PromptConverter(format());
    const messages = [said('Hello')];
    const system = (instructions?: string) =>
      converter
        .toPrompt(messages, instructions)
        .filter(({ role }) => role === 'system')
        .map(({ content }) => content);

    expect(system('One.')).toEqual(['One.']);
    expect(system('Two.')).toEqual(['Two.']);
    expect(system()).toEqual([]);
    expect(system('Three.')).toEqual(['Three.']);
  });
});

describe('an empty request', () => {
  const continueMessage = { role: 'user', content: [text('Please continue.')] };

  it('becomes a user message at the end of the prompt', () => {
    expect(convert([request()], 'Be brief.')).toEqual([
      { role: 'system', content: 'Be brief.' },
      continueMessage,
    ]);
    expect(convert([said('Hi'), response({ kind: 'text', content: 'Yes?' }), request()])).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [text('Yes?')] },
      continueMessage,
    ]);
  });

  it('is omitted between other messages', () => {
    const messages = [
      said('Hi'),
      response({ kind: 'tool-call', toolName: 'look', toolCallId: 'c1', args: null }),
      request(),
      request(returned({})),
    ];

    expect(convert(messages).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});

describe('a conversation that grows', () => {
  const frozenResponse = deepFreeze(response({ kind: 'text', content: 'Hi.' }));

  it('converts only new messages', () => {
    const converter = new PromptConverter(format());
    const messages = [said('Hello')];
    const first = converter.toPrompt(messages, undefined);
    messages.push(frozenResponse, said('Bye'));

    const second = converter.toPrompt(messages, undefined);

    expect(second).toHaveLength(3);
    expect(second[0]).toBe(first[0]);
    expect(first).toHaveLength(1);
  });

  it('merges adjacent messages of one role without changing cached conversions', () => {
    const converter = new PromptConverter(format());
    const messages = [deepFreeze(said('One')), deepFreeze(said('Two'))];

    const merged = { role: 'user', content: [text('One'), text('Two')] };
    expect(converter.toPrompt(messages, undefined)).toEqual([merged]);
    expect(converter.toPrompt(messages.slice(0, 1), undefined)).toEqual([
      { role: 'user', content: [text('One')] },
    ]);
    expect(converter.toPrompt([...messages], undefined)).toEqual([merged]);
  });

  it('reuses conversions of frozen messages only in another run', () => {
    const converter = new PromptConverter(format());
    const open = said('Hello');
    const first = converter.toPrompt([open, frozenResponse], undefined);

    const second = converter.toPrompt([open, frozenResponse], undefined);

    expect(second[1]).toBe(first[1]);
    expect(second[0]).not.toBe(first[0]);
  });

  it('shares the prompt of the initial history between runs, which extend it separately', () => {
    const converter = new PromptConverter(format());
    const history = messageCodec.fromJSON([said('Hello'), frozenResponse, said('And?')]);
    const runs = ['One', 'Two'].map((prompt) => {
      const run = continueHistory(history).cleaner;
      run.add(deepFreeze(response({ kind: 'text', content: prompt })));
      run.add(deepFreeze(said(`${prompt}, please.`)));
      return run;
    });

    const [one, two] = runs.map((run) => converter.toPrompt(run.messages, undefined));

    expect(one?.map(({ content }) => content)).toEqual([
      [text('Hello')],
      [text('Hi.')],
      [text('And?')],
      [text('One')],
      [text('One, please.')],
    ]);
    expect(two?.at(-1)).toEqual({ role: 'user', content: [text('Two, please.')] });
    expect(two?.slice(0, 3)).toEqual(one?.slice(0, 3));
    expect(two?.[2]).toBe(one?.[2]);
  });

  it('converts the initial history that a run has processed', () => {
    const converter = new PromptConverter(format());
    const history = messageCodec.fromJSON([said('Hello'), frozenResponse, said('And?')]);
    converter.toPrompt(continueHistory(history).cleaner.messages, undefined);
    const run = continueHistory(history).cleaner;
    // The last request and this one are merged.
    run.add(deepFreeze(said('Now.')));

    expect(converter.toPrompt(run.messages, undefined).at(-1)).toEqual({
      role: 'user',
      content: [text('And?'), text('Now.')],
    });
    expect(converter.toPrompt(continueHistory(history).cleaner.messages, undefined).at(-1)).toEqual(
      {
        role: 'user',
        content: [text('And?')],
      },
    );
  });

  it('is converted again after messages were removed', () => {
    const converter = new PromptConverter(format());
    const messages = [said('One'), frozenResponse, said('Two')];
    converter.toPrompt(messages, undefined);
    messages.length = 1;

    expect(converter.toPrompt(messages, undefined)).toHaveLength(1);
  });
});
