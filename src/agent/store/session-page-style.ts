/** The style of an exported page, for light and dark color schemes. */
export const pageStyle = `
:root { color-scheme: light dark; --text: #1c1d1f; --quiet: #63666d; --page: #fbfbfa; --box: #f0f0ee; --line: #dcdcd8; --person: #0b57a4; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e3; --quiet: #a0a3a8; --page: #17181a; --box: #222427; --line: #36393d; --person: #8ab8f0; --bad: #f2958e; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 0.9rem; margin: 2rem 0 0.4rem; color: var(--quiet); }
h2.person { color: var(--person); }
h3 { font-size: 0.8rem; margin: 0.8rem 0 0.2rem; color: var(--quiet); }
dl { display: flex; flex-wrap: wrap; gap: 0.2rem 1.5rem; margin: 0; padding-bottom: 1rem; border-bottom: 1px solid var(--line); font-size: 0.85rem; }
dl div { display: flex; gap: 0.4rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.prompt, .answer { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.4rem 0; }
.prompt { border-left: 3px solid var(--person); padding-left: 0.8rem; }
.other { color: var(--quiet); font-style: italic; }
details { background: var(--box); border: 1px solid var(--line); border-radius: 6px; margin: 0.5rem 0; padding: 0.4rem 0.7rem; }
details.failed { border-color: var(--bad); }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary code { color: var(--quiet); }
pre, code { font: 0.85rem/1.45 ui-monospace, monospace; }
pre { margin: 0.2rem 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow: auto; }
img { max-width: 100%; border-radius: 6px; }
@media print { details { break-inside: avoid; } pre { max-height: none; } }
`;
