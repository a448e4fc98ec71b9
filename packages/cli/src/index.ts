export { terminalHandler, type TerminalHandlerOptions } from './terminal/terminal-handler.ts';
