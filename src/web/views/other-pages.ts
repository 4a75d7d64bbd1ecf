// The pages beside the conversation, in one file: it is small, and loads once.
export { ChangesPage } from './changes-page.js';
export { Help } from './help.js';
export { NewSession } from './new-session.js';
export { SearchPage } from './search-page.js';
export { SignInPage } from './sign-in-page.js';
export { TimelinePage } from './timeline-page.js';
export { UsagePage } from './usage-page.js';
