// An agent of the Agent Client Protocol for clients that know only standard streams: passes lines to a server and back.
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

const [url, token] = process.argv.slice(2);
const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } });
const lines = createInterface({ input: process.stdin });
lines.pause();
socket.on('open', () => lines.resume());
lines.on('line', (line) => socket.send(line));
lines.on('close', () => socket.close());
socket.on('message', (data) => process.stdout.write(`${data}\n`));
socket.on('close', () => process.exit(0));
