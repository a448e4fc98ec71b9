export {
  RestateEngine,
  restateEngine,
  type RestateEngineOptions,
} from './engine/restate-engine.ts';
export { type RestateDesk, serveDesk, type ServeDeskOptions } from './engine/serve-desk.ts';
export type { TaskHandlers, TaskService } from './engine/task-service.ts';
export { asTerminalError, onRestate, type RestateRunOptions } from './environment/on-restate.ts';
export {
  type RestateEnvironment,
  type RestateEnvironmentOptions,
  restateEnvironment,
} from './environment/restate-environment.ts';
