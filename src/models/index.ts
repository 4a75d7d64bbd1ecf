export { type AnthropicOptions, anthropicModel } from './anthropic.js';
export { chooseModel } from './choose-model.js';
export { parseScript, type Script, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted.js';
