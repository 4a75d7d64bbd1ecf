export { anthropicSse } from './anthropic-format.js';
export { chatViolations } from './chat-violations.js';
export {
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  type FakeRequest,
  startFakeModelServer,
} from './fake-model-server.js';
export { geminiViolations } from './gemini-violations.js';
export { protocolViolations } from './protocol-violations.js';
export { responsesViolations } from './responses-violations.js';
export { type TestProject, type ToolRun, temporaryProject } from './temporary-project.js';
