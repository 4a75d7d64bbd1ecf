import { engineFlagsHelp } from './engine-flags.js';

export const help = `helve mcp: the MCP servers that Helve uses, and Helve as a server

  helve mcp add NAME [-e KEY=VALUE] -- COMMAND ARGS     write a server down that is run here
  helve mcp add NAME URL [--header "Name: value"]       one that is reached by an address
  helve mcp add-json NAME JSON                          an entry as other agents write it
  helve mcp list            every server that is written down here, and whether it is used
  helve mcp get NAME        one of them
  helve mcp remove NAME     take it out of the file that it is written in
  helve mcp doctor [NAME]   start them, and say what is wrong
  helve mcp serve           offer Helve's tools to an MCP client, over standard input and output
  helve mcp serve --http [PORT]   the same over HTTP on this machine

Options of add, add-json and remove
  --scope SCOPE, -s SCOPE   which file: local, project or user
  --force                   of add and add-json: replace a server of that name
  --env KEY=VALUE, -e       of add: a variable for its command; may be given several times
  --header "Name: value", -H   of add: sent with every request; may be given several times
  --transport TYPE, -t TYPE of add: stdio, http or sse, where it is not clear from the rest

Options of list, get and doctor
  --check                   of list: start them, and say how they are
  --json                    as JSON
  --settings FILE, --trust  as for serve

Options of serve
${engineFlagsHelp}`;
