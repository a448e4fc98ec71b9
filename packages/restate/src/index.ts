export { asTerminalError, onRestate, type RestateRunOptions } from './environment/on-restate.ts';
export {
  type RestateEnvironment,
  type RestateEnvironmentOptions,
  restateEnvironment,
} from './environment/restate-environment.ts';
