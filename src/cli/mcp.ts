import { chooseAction } from './choose-action.js';

const USAGE = 'Use helve mcp serve, add, add-json, list, get, remove, doctor, approve, login or logout.';

type Action = (argv: readonly string[]) => Promise<number>;

/** Loaded on demand: the server needs more code than all the others together. */
const actions: Readonly<Record<string, () => Promise<Action>>> = {
  serve: async () => (await import('./mcp/serve.js')).serve,
  add: async () => (await import('./mcp/add.js')).add,
  'add-json': async () => (await import('./mcp/add.js')).addJson,
  list: async () => (await import('./mcp/list.js')).list,
  get: async () => (await import('./mcp/get.js')).get,
  remove: async () => (await import('./mcp/remove.js')).remove,
  approve: async () => (await import('./mcp/approve.js')).approve,
  doctor: async () => (await import('./mcp/doctor.js')).doctor,
  login: async () => (await import('./mcp/login.js')).login,
  logout: async () => (await import('./mcp/logout.js')).logout,
};

/** MCP, both sides: Helve as a server, and the servers that Helve uses. */
export async function mcp([name, ...rest]: readonly string[]): Promise<number> {
  const load = chooseAction('mcp', name, actions, USAGE);
  return await (await load())(rest);
}
