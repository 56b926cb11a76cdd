/** The entry of the app. */
import { start } from './app/start.tsx';

await start();
