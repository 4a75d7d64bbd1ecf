// Loaded before the page is drawn, so that the chosen theme is there from the start.
(() => {
  const root = document.documentElement;
  try {
    root.dataset.theme = localStorage.getItem('theme') ?? '';
  } catch {
    // A browser that keeps nothing follows the system.
  }
  document.addEventListener('DOMContentLoaded', () => {
    const narrow = matchMedia('(max-width: 900px)');
    const list = document.querySelector('.pages details');
    if (narrow.matches) list?.removeAttribute('open');
    document.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' });
    window.scrollTo(0, location.hash === '' ? 0 : window.scrollY);
    document.getElementById('theme')?.addEventListener('click', () => {
      const isDark = getComputedStyle(root).colorScheme.includes('dark');
      root.dataset.theme = isDark ? 'light' : 'dark';
      try {
        localStorage.setItem('theme', root.dataset.theme);
      } catch {}
    });
  });
})();
