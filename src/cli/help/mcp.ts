import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve mcp: manage the MCP servers that Helve uses, or run Helve as a server

  helve mcp add NAME [-e KEY=VALUE] -- COMMAND ARGS     add a server that runs here as a command
  helve mcp add NAME URL [--header "Name: value"]       add a server with an address
  helve mcp add-json NAME JSON                          add an entry in the format of other agents
  helve mcp list            every configured server, and whether it is used
  helve mcp get NAME        one server
  helve mcp remove NAME     remove it from its settings file
  helve mcp doctor [NAME]   start the servers, and report problems
  helve mcp login NAME      sign in to a server that requires it
  helve mcp logout NAME     sign out: remove its tokens, and revoke them
  helve mcp approve NAME [TOOL ...]   show how a server changed its tools, and approve it
  helve mcp serve           offer Helve's tools to an MCP client, over standard input and output
  helve mcp serve --http [PORT]   the same over HTTP on this machine

Options of add, add-json and remove
  --scope SCOPE, -s SCOPE   which file: local, project or user
  --force                   of add and add-json: replace a server of that name
  --env KEY=VALUE, -e       of add: a variable for its command; may be given several times
  --header "Name: value", -H   of add: sent with every request; may be given several times
  --transport TYPE, -t TYPE of add: stdio, http or sse, if it is not clear from the rest

Options of login
  --no-browser              only print the address, for a browser on another machine
  --scope SCOPE, -s SCOPE   ask for these permissions; may be given several times

Options of list, get, doctor, approve, login and logout
  --check                   of list: start the servers, and show their state
  --yes, -y                 of approve: without a question
  --json                    of list, get, doctor and approve: as JSON
  --settings FILE, --trust  as for serve

Options of serve
${engineFlagsHelp}`;
