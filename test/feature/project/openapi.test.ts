/** The description of the API in OpenAPI 3.1: it is valid, says what the caller may do, and answers are as it says. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { runCommandLine } from '../../../src/cli/run.ts';
import { type Description, Judge } from '../../support/conformance/judge.ts';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR } from '../../support/servers/project.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const galley = async (...args: string[]) => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  strictEqual(await runCommandLine(args, { env: {}, print, warn: print }), 0, lines.join('\n'));
  return lines.join('\n');
};

async function requireValid(description: object): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(description) as never);
  ok(valid, JSON.stringify(errors));
}

for (const engine of engines) {
  describe(`the description of the API on ${engine.name}`, () => {
    let server: SeededServer;
    const describe_ = async (token?: string) =>
      (await server.get('/api/openapi.json', token)).body as unknown as Description;

    before(async () => {
      server = await serveScenarioProject(engine);
    });
    after(() => server?.stop());

    it('is valid, and has what the caller may do alone', async () => {
      const [own, everybody] = [await describe_(server.secrets['full']), await describe_()];
      await requireValid(own);
      await requireValid(everybody);
      deepStrictEqual(Object.keys(own.paths['/api/articles']!).sort(), ['get', 'post']);
      ok(!('/api/articles' in everybody.paths) && 'get' in everybody.paths['/api/authors']!);
      ok(!('ArticleInput' in everybody.components.schemas));
      strictEqual((await describe_(server.secrets['read'])).paths['/api/articles']!['post'], undefined);
    });

    it('names no private attribute and no password', async () => {
      const { schemas } = (await describe_(server.secrets['full'])).components;
      doesNotMatch(JSON.stringify(schemas['UsersPermissionsUser']), /password|resetPasswordToken/);
    });

    it('names no type and no field that the caller may not read or write', async () => {
      const { schemas } = (await describe_(server.secrets['custom'])).components as unknown as {
        schemas: Record<string, { properties: object }>;
      };
      for (const name of ['Article', 'ArticleInput']) {
        ok('title' in schemas[name]!.properties && !('author' in schemas[name]!.properties), name);
      }
      deepStrictEqual(
        Object.keys(schemas).filter((name) => /^(Author|Category|Country|UsersPermissions)/.test(name)),
        [],
      );
      const everybody = (await describe_()).components as unknown as { schemas: typeof schemas };
      ok('name' in everybody.schemas['Author']!.properties && !('Article' in everybody.schemas));
    });

    it('is a page for people, which asks for nothing elsewhere', async () => {
      const { status, text, headers } = await server.get('/api/docs');
      deepStrictEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      match(text, /<code>GET<\/code> <code>\/api\/authors<\/code>/);
      doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\/|<script|@import|url\(/);
    });
  });
}

describe('galley openapi', () => {
  it('describes everything that can be granted', async () => {
    const description = JSON.parse(await galley('openapi', CONFORMANCE_DIR)) as Description;
    await requireValid(description);
    ok('post' in description.paths['/api/articles/{documentId}/actions/publish']!);
    ok('post' in description.paths['/api/upload']!);
  });

  it('fails an answer that has what is not described, or lacks what is', async () => {
    const judge = new Judge(JSON.parse(await galley('openapi', CONFORMANCE_DIR)) as Description);
    judge.take('GET', '/api/tags/x', 200, '{"data":{"id":1,"documentId":"x","name":"t"},"meta":{}}');
    deepStrictEqual([...judge.failures], []);
    judge.take('GET', '/api/tags/x', 200, '{"data":{"id":1,"name":"t"},"meta":{}}');
    judge.take('GET', '/api/tags', 200, '{"data":[{"id":1,"documentId":"x","nome":"t"}],"meta":{}}');
    judge.take('GET', '/api/tags', 400, '{"error":"no"}');
    judge.take('PATCH', '/api/tags', 200, '{}');
    strictEqual(judge.failures.size, 4);
  });
});
