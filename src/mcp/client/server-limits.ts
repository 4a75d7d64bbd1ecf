// How long servers may take and how much they may answer, by variables of the environment.
type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_CONNECT_MS = 30_000;
const DEFAULT_CALL_MS = 100_000_000; // more than a day: the user can cancel
const DEFAULT_OUTPUT_TOKENS = 25_000;

export const connectMs = (env: Environment): number => numberIn(env, 'MCP_TIMEOUT') ?? DEFAULT_CONNECT_MS;

export const callMs = (env: Environment): number => numberIn(env, 'MCP_TOOL_TIMEOUT') ?? DEFAULT_CALL_MS;

export const outputTokens = (env: Environment): number =>
  numberIn(env, 'MAX_MCP_OUTPUT_TOKENS') ?? DEFAULT_OUTPUT_TOKENS;

function numberIn(env: Environment, name: string): number | undefined {
  const value = Number(env[name]);
  return env[name] !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}
