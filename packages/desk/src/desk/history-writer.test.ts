import { type Message, messageCodec } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../model/message-row.ts';
import { HistoryWriter } from './history-writer.ts';

const said = (content: string): Message => ({
  kind: 'request',
  parts: [{ kind: 'user-prompt', content }],
});

function rowsOf(...messages: readonly Message[]): MessageRow[] {
  return messageCodec.toJSON(messages).messages.map((message, position) => ({
    tenant: 't',
    conversationId: 'c',
    position,
    runId: 'r',
    version: 1,
    body: JSON.stringify(message),
  }));
}

describe('the part of a history that is written', () => {
  it('is the added messages', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b')));
    const messages = [...history.loaded, said('c')];

    const added = history.newIn(messages);

    expect(messageCodec.stringify(history.loaded)).toBe(
      messageCodec.stringify([said('a'), said('b')]),
    );
    expect(added).toMatchObject({ position: 2, messages: [JSON.stringify(said('c'))] });
    expect(history.isStored(messages, added)).toBe(false);
    history.wasStored(messages, added);
    expect(history.isStored(messages, history.newIn(messages))).toBe(true);
  });

  it('is everything from the first changed message on', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b'), said('c')));

    const added = history.newIn([history.loaded[0]!, said('B'), history.loaded[2]!]);

    expect(added).toMatchObject({ position: 1, messages: { length: 2 } });
  });

  it('is empty for copies of the stored messages', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b')));
    const copies = [said('a'), said('b')];

    expect(history.isStored(copies, history.newIn(copies))).toBe(true);
  });

  it('is a cut if messages were removed', () => {
    const history = new HistoryWriter(rowsOf(said('a'), said('b')));
    const messages = [history.loaded[0]!];
    const added = history.newIn(messages);

    expect(added).toMatchObject({ position: 1, messages: [] });
    expect(history.isStored(messages, added)).toBe(false);
    history.wasStored(messages, added);
    expect(history.newIn([...messages, said('c')])).toMatchObject({ position: 1 });
  });
});
