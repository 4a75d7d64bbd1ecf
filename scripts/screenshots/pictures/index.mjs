// All pictures, in the order of docs/screenshots.md.
import { agents } from './agents.mjs';
import { commandQuestion } from './command-question.mjs';
import { toolConsole } from './console.mjs';
import { darkEditQuestion, lightEditQuestion } from './edit-question.mjs';
import { explain } from './explain.mjs';
import { narrow } from './narrow.mjs';
import { plan } from './plan.mjs';
import { turn } from './turn.mjs';

export const pictures = [
  turn,
  commandQuestion,
  darkEditQuestion,
  plan,
  agents,
  toolConsole,
  explain,
  narrow,
  lightEditQuestion,
];
