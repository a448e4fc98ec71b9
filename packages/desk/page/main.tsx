import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
// oxlint-disable-next-line import/no-unassigned-import -- the build turns it into a style sheet
import './styles/main.css';

const container = document.getElementById('inbox');
if (container === null) throw new Error('The document has no element `#inbox`.');
// The document states the relative path from here to the root of the desk.
const root = new URL(container.dataset['desk'] ?? './', location.href);
createRoot(container).render(
  <StrictMode>
    <App root={root} />
  </StrictMode>,
);
