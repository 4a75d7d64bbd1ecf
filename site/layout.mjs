// The frame of a page: bar with search, list of pages, the text, and what is on this page.
import { escapeHtml } from './render.mjs';

/** Nothing but the site's own files, no inline script and no inline style. */
export const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

export function layout({ page, title, description, html, headings, contents, pages, version, upwards }) {
  const links = contents.map((section) => navigation(section, { page, pages, upwards })).join('\n');
  const here = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const onPage =
    here.length > 2 ? `<nav class="here" aria-label="On this page"><h2>On this page</h2>${list(here)}</nav>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title === 'Helve' ? 'Helve: a coding agent for your terminal' : `${title} · Helve ${version}`)}</title>
<link rel="icon" href="${upwards}icon.svg">
<link rel="stylesheet" href="${upwards}site.css">
<script src="${upwards}theme.js"></script>
<script src="${upwards}search.js" defer data-top="${upwards}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="brand" href="${upwards}index.html">Helve</a> <a class="version" href="${upwards}../index.html" aria-label="Version ${version}, all versions">${version}</a>
<div class="search" role="search"><input type="search" id="search" placeholder="Search: press /" aria-label="Search the documentation" autocomplete="off"><ul id="found" aria-label="Pages found" hidden></ul></div>
<button id="theme" type="button" aria-label="Switch between light and dark"></button>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages"><details open><summary>All pages</summary>
${links}
</details></nav>
<main id="main" tabindex="-1">
${html}
</main>
${onPage}
</div>
</body>
</html>
`;
}

function navigation({ heading, entries }, { page, pages, upwards }) {
  const items = entries.map(({ title, source }) => {
    const target = pages.get(source);
    if (target === undefined) return '';
    const isHere = target === page ? ' aria-current="page"' : '';
    return `<li><a href="${upwards}${target.address}"${isHere}>${escapeHtml(sentence(title))}</a></li>`;
  });
  return `<h2>${escapeHtml(heading)}</h2>\n<ul>${items.join('')}</ul>`;
}

const list = (headings) =>
  `<ul>${headings.map(({ id, depth, heading }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(heading)}</a></li>`).join('')}</ul>`;

const sentence = (title) => title.charAt(0).toUpperCase() + title.slice(1);

/** The page above all versions, which leads to the newest one. */
export const versionsPage = (versions) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Helve: versions of the documentation</title>
<link rel="icon" href="${versions[0]}/icon.svg">
<link rel="stylesheet" href="${versions[0]}/site.css">
<script src="${versions[0]}/theme.js"></script>
</head>
<body>
<main class="versions">
<h1>Documentation of Helve</h1>
<ul>${versions.map((version) => `<li><a href="${version}/index.html">${version}</a></li>`).join('')}</ul>
</main>
</body>
</html>
`;
