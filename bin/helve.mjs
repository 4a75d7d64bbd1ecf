// For hosts that start a script with a Node of their choice and recognise scripts by the ending .mjs.
import './helve.cjs';
