/**
 * The app with an additional page that shows its components in all states and its form without a server, for
 * screenshots and tests.
 */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inside } from '../app/router.tsx';
import { start } from '../app/start.tsx';

const samples = createRoute({
  getParentRoute: () => inside,
  path: '/samples.html',
  component: lazyRouteComponent(() => import('./samples.tsx'), 'Samples'),
});

await start([samples]);
