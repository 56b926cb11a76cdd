/** A process of its own that brings one database up to one project: `migrate-once.ts <project> <environment as JSON>`. */
import { createDocumentId } from '../../../src/content/rows/document-rows.ts';
import { migrate } from '../../../src/db/migration/migrate.ts';
import { layOut } from '../../../src/schema/layout/layout.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { openPlain } from './plain-database.ts';

const [dir, env] = process.argv.slice(2);
const layout = layOut(loadCatalog(dir!));
const { database, engine } = await openPlain({ env: JSON.parse(env!) });
const { added } = await migrate(database, layout, { engine, createId: createDocumentId });
await database.close();
process.stdout.write(String(added.length));
