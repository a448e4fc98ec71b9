import { AGENT_OPTION_MISTAKES, CAPABILITY_MISTAKES, RUN_MISTAKES } from './agent-mistakes.ts';
import { HANDLER_MISTAKES, PREDICATE_MISTAKES, RESULT_MISTAKES } from './decision-mistakes.ts';
import { FURTHER_OPTION_MISTAKES, FURTHER_VALUE_MISTAKES } from './integration-mistakes.ts';
import { describeMistakes } from './mistake.ts';
import { TOOL_NAME_MISTAKES, TOOL_OPTION_MISTAKES, TOOLS_MISTAKES } from './tool-mistakes.ts';

describeMistakes('newcomer 1: the options of a tool', TOOL_OPTION_MISTAKES);
describeMistakes('newcomer 4: the name of a tool', TOOL_NAME_MISTAKES);
describeMistakes('newcomer 12: values in `tools`', TOOLS_MISTAKES);
describeMistakes('newcomer 4: the options of an agent', AGENT_OPTION_MISTAKES);
describeMistakes('newcomer 4: the arguments of a run', RUN_MISTAKES);
describeMistakes('capabilities and toolsets', CAPABILITY_MISTAKES);
describeMistakes('newcomer 4: functions that decide about approval', PREDICATE_MISTAKES);
describeMistakes('seeds D11: policies and handlers', HANDLER_MISTAKES);
describeMistakes('seeds D12: decisions and results', RESULT_MISTAKES);
describeMistakes('options of everything else', FURTHER_OPTION_MISTAKES);
describeMistakes('values of options of everything else', FURTHER_VALUE_MISTAKES);
