import { answeredHoldSchema, type AnsweredHoldView, answerView } from '../views/answer-view.ts';
import { holdView } from '../views/hold-view.ts';
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
  async handle({ desk, params, rules: { redaction }, secrets }) {
    const { hold, answers } = await desk.hold(params.holdId);
    const unseen = await secrets.of(hold.conversationId);
    return {
      hold: holdView(hold, redaction, unseen),
      answers: answers.map((one) => answerView(one, hold.toolName, redaction, unseen)),
    };
  },
};
