// The web view: draws the page, and finds out who is signed in.
import { render } from 'preact';
import { signIn, takeCode, whoAmI } from './connection/sign-in.js';
import { AppContext, useApp, WebApp } from './store/web-app.js';
import { lazyView, otherPages } from './views/lazy-view.js';
import { Shell } from './views/shell.js';

const SignInPage = lazyView(async () => (await otherPages()).SignInPage);

function Page() {
  const app = useApp();
  const me = app.me.value;
  const link = app.link.state.value;
  if (me === undefined) return <p class="start">{app.message.value || 'Connecting…'}</p>;
  if (me === null) return <SignInPage why={app.message.value} />;
  if (link.name === 'refused') return <SignInPage why={link.why} />;
  return <Shell />;
}

async function start(app: WebApp, code: string | undefined): Promise<void> {
  if (code !== undefined) {
    try {
      app.signedIn(await signIn({ code }));
      return;
    } catch (error) {
      app.tell(error);
    }
  }
  for (;;) {
    try {
      const me = await whoAmI();
      if (me) app.signedIn(me);
      else app.me.value = null;
      return;
    } catch (error) {
      app.tell(error);
      await new Promise((resolve) => setTimeout(resolve, 2_000)); // the server does not answer yet
    }
  }
}

const code = takeCode(); // before anything else: the code must not stay in the address
const app = new WebApp();
render(
  <AppContext.Provider value={app}>
    <Page />
  </AppContext.Provider>,
  document.querySelector('#app') ?? document.body,
);
void start(app, code);
