// In the same file as React itself, which stays in the browser's cache when the dashboard changes.
export { createRoot } from 'react-dom/client';
