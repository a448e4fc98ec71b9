import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
// The build makes a style sheet of it.
// oxlint-disable-next-line import/no-unassigned-import
import './styles/main.css';

const place = document.getElementById('inbox');
if (place === null) throw new Error('The document has no place for the inbox.');
// The desk says how to get from here to where it begins.
const root = new URL(place.dataset['desk'] ?? './', location.href);
createRoot(place).render(
  <StrictMode>
    <App root={root} />
  </StrictMode>,
);
