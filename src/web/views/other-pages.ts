// The pages beside the conversation, and the question of trust, which each folder asks once. One file: it is small, and
// loads once.
import sheet from '../styles/pages.css' with { type: 'css' };

export { ChangesPage } from './changes-page.js';
export { Help } from './help.js';
export { NewSession } from './new-session.js';
export { SearchPage } from './search-page.js';
export { SignInPage } from './sign-in-page.js';
export { TimelinePage } from './timeline-page.js';
export { TrustCard } from './trust-card.js';
export { UsagePage } from './usage-page.js';
export { sheet };
