// What a model that writes calls as text needs, loaded at once.
export { quotedIn } from './text-calls/quoted-text.js';
export { TextCallScanner } from './text-calls/text-call-scanner.js';
export { textProtocol } from './text-protocol.js';
