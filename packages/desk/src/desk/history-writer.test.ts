import { dumpMessages, type Message } from 'holdpoint';
import { messagesToJson } from 'holdpoint/messages';
import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../model/message-row.ts';
import { HistoryWriter } from './history-writer.ts';

const said = (content: string): Message => ({
  kind: 'request',
  parts: [{ kind: 'user-prompt', content }],
});

function rowsOf(...messages: readonly Message[]): MessageRow[] {
  return messagesToJson(messages).messages.map((message, position) => ({
    tenant: 't',
    conversationId: 'c',
    position,
    runId: 'r',
    version: 1,
    body: JSON.stringify(message),
  }));
}

describe('what is written of a history', () => {
  it('is what was added', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b')));
    const messages = [...history.loaded, said('c')];

    const added = history.newIn(messages);

    expect(dumpMessages(history.loaded)).toBe(dumpMessages([said('a'), said('b')]));
    expect(added).toMatchObject({ position: 2, messages: [JSON.stringify(said('c'))] });
    expect(history.isStored(messages, added)).toBe(false);
    history.wasStored(messages, added);
    expect(history.isStored(messages, history.newIn(messages))).toBe(true);
  });

  it('is everything from the first message on that is another one', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b'), said('c')));

    const added = history.newIn([history.loaded[0]!, said('B'), history.loaded[2]!]);

    expect(added).toMatchObject({ position: 1, messages: { length: 2 } });
  });

  it('is nothing for copies of what is there', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b')));
    const copies = [said('a'), said('b')];

    expect(history.isStored(copies, history.newIn(copies))).toBe(true);
  });

  it('is an end that is cut off where messages were taken away', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b')));
    const messages = [history.loaded[0]!];
    const added = history.newIn(messages);

    expect(added).toMatchObject({ position: 1, messages: [] });
    expect(history.isStored(messages, added)).toBe(false);
    history.wasStored(messages, added);
    expect(history.newIn([...messages, said('c')])).toMatchObject({ position: 1 });
  });
});
