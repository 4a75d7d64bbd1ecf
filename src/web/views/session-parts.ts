// What a session needs beside its conversation: questions, diffs and the colours of code. One file, since small ones
// compress badly and nearly every session needs all three.
export { ColoredCode } from './colored-code.js';
export { Diff } from './diff.js';
export { QuestionDock } from './question-dock.js';
