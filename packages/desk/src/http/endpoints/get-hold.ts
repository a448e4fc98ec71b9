import { answeredHoldSchema, type AnsweredHoldView, answerView } from '../views/answer-view.ts';
import { HoldViewer } from '../hold-viewer.ts';
import type { Endpoint } from './endpoint.ts';
import { type HoldParams, holdParams } from './params.ts';

export const getHold: Endpoint<HoldParams, unknown, unknown, AnsweredHoldView> = {
  method: 'get',
  path: '/holds/{holdId}',
  name: 'getHold',
  summary: 'A hold as it is now, with the answers to it.',
  params: holdParams,
  status: 200,
  result: answeredHoldSchema,
  async handle(asked) {
    const { desk, params, rules, secrets, access } = asked;
    const { hold, answers } = await desk.hold(params.holdId);
    await access.require('read', { kind: 'hold', hold });
    const unseen = await secrets.of(hold.conversationId);
    return {
      hold: await new HoldViewer(asked).whole(hold, answers),
      answers: answers.map((one) => answerView(one, hold.toolName, rules.redaction, unseen)),
    };
  },
};
