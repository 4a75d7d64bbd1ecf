// All pictures, in the order of docs/screenshots.md.
import { agents } from './agents.mjs';
import { commandQuestion } from './command-question.mjs';
import { toolConsole } from './console.mjs';
import { darkEditQuestion, wideEditQuestion } from './edit-question.mjs';
import { explain } from './explain.mjs';
import { colorlessMarkdown, darkMarkdown, lightMarkdown, narrowMarkdown } from './markdown.mjs';
import { plan } from './plan.mjs';
import { start } from './start.mjs';
import { turn } from './turn.mjs';

export const pictures = [
  start,
  turn,
  darkMarkdown,
  commandQuestion,
  darkEditQuestion,
  plan,
  agents,
  toolConsole,
  explain,
  wideEditQuestion,
  narrowMarkdown,
  lightMarkdown,
  colorlessMarkdown,
];
