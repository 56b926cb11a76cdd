/** Where files go: Strapi's provider options, and the environment over them. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { UsageError } from '../../../src/errors.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'galley-config-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const configure = async (upload: string): Promise<void> => {
  await mkdir(path.join(dir, 'config'), { recursive: true });
  await writeFile(path.join(dir, 'config/plugins.js'), `module.exports = { upload: { config: ${upload} } };`);
};
const load = (env: Record<string, string> = {}) => loadConfig(dir, { env });
const storage = async (env?: Record<string, string>) => (await load(env)).upload.storage;
const refused = (env: Record<string, string>, expected: RegExp) =>
  rejects(load(env), (error) => {
    ok(error instanceof UsageError, String(error));
    match(error.message, expected);
    return true;
  });

describe('the storage of a project', () => {
  it('is the local disk without configuration, and if the file says so', async () => {
    const local = { store: 'local', provider: 'local', s3: undefined };
    deepStrictEqual(await storage(), local);
    await configure("{ provider: 'local', providerOptions: {} }");
    deepStrictEqual(await storage(), local);
  });

  it("is a bucket in the form of Strapi's provider", async () => {
    await configure(`{
      provider: 'aws-s3',
      providerOptions: {
        baseUrl: 'https://cdn.example.com/',
        rootPath: '/a//b/',
        s3Options: {
          credentials: { accessKeyId: 'k', secretAccessKey: 's' },
          region: 'eu-west-3',
          endpoint: 's3.example.com',
          forcePathStyle: true,
          params: { ACL: 'private', signedUrlExpires: '60', Bucket: 'library' },
        },
      },
      actionOptions: { upload: {}, uploadStream: {}, delete: {} },
    }`);
    const config = await load();
    deepStrictEqual(config.upload.storage, {
      store: 's3',
      provider: 'aws-s3',
      s3: {
        provider: 'aws-s3',
        bucket: 'library',
        region: 'eu-west-3',
        endpoint: 'https://s3.example.com',
        prefix: 'a/b',
        pathStyle: true,
        private: true,
        acl: undefined,
        baseUrl: 'https://cdn.example.com',
        signedUrlExpires: 60,
        credentials: { accessKeyId: 'k', secretAccessKey: 's', sessionToken: undefined },
      },
    });
    deepStrictEqual(config.warnings, []);
  });

  it("is a bucket in the provider's older form, and keeps the name that records have", async () => {
    await configure(`{
      provider: '@strapi/provider-upload-aws-s3',
      providerOptions: { accessKeyId: 'k', secretAccessKey: 's', region: 'r', params: { Bucket: 'b' } },
    }`);
    const { provider, s3 } = await storage();
    strictEqual(provider, '@strapi/provider-upload-aws-s3');
    const { bucket, region, credentials, private: isPrivate, acl } = s3!;
    deepStrictEqual([bucket, region, isPrivate, acl], ['b', 'r', false, 'public-read']);
    deepStrictEqual(credentials, { accessKeyId: 'k', secretAccessKey: 's', sessionToken: undefined });
  });

  it('sends the ACL of the file, and none if the file disables it', async () => {
    const aclOf = async (params: string) => {
      await configure(`{ provider: 'aws-s3', providerOptions: { s3Options: { params: ${params} } } }`);
      const { acl, private: isPrivate } = (await storage())!.s3!;
      return [acl, isPrivate];
    };
    deepStrictEqual(await aclOf("{ Bucket: 'b' }"), ['public-read', false]);
    deepStrictEqual(await aclOf("{ Bucket: 'b', ACL: undefined }"), [undefined, false]);
    deepStrictEqual(await aclOf("{ Bucket: 'b', ACL: 'authenticated-read' }"), ['authenticated-read', false]);
    deepStrictEqual(await aclOf("{ Bucket: 'b', ACL: 'private' }"), [undefined, true]);
  });

  it('takes the environment before the file', async () => {
    await configure(`{
      provider: 's3',
      providerOptions: { s3Options: { region: 'file', params: { Bucket: 'file', ACL: 'private' } } },
    }`);
    const { provider, s3 } = await storage({
      S3_BUCKET: 'env',
      S3_REGION: 'env-1',
      S3_ENDPOINT: 'http://localhost:9000',
      S3_PREFIX: 'p',
      S3_FORCE_PATH_STYLE: 'false',
      S3_PRIVATE: 'false',
      S3_PUBLIC_URL: 'https://cdn.example.com',
      S3_SIGNED_URL_EXPIRES: '60',
      S3_ACCESS_KEY_ID: 'k',
      S3_SECRET_ACCESS_KEY: 's',
      AWS_ACCESS_KEY_ID: 'other',
      AWS_SECRET_ACCESS_KEY: 'other',
    });
    deepStrictEqual(s3, {
      provider: 's3',
      bucket: 'env',
      region: 'env-1',
      endpoint: 'http://localhost:9000',
      prefix: 'p',
      pathStyle: false,
      private: false,
      acl: undefined,
      baseUrl: 'https://cdn.example.com',
      signedUrlExpires: 60,
      credentials: { accessKeyId: 'k', secretAccessKey: 's', sessionToken: undefined },
    });
    strictEqual(provider, 's3');
  });

  it("needs the bucket's name alone, and finds the rest where AWS's programs do", async () => {
    const { store, provider, s3 } = await storage({ S3_BUCKET: 'b', AWS_REGION: 'eu-north-1' });
    deepStrictEqual(
      [store, provider, s3!.region, s3!.private, s3!.acl],
      ['s3', 'aws-s3', 'eu-north-1', false, undefined],
    );
    strictEqual(s3!.credentials, undefined);
    const keys = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' };
    const own = (await storage({ S3_BUCKET: 'b', ...keys })).s3!.credentials;
    deepStrictEqual(own, { accessKeyId: 'k', secretAccessKey: 's', sessionToken: 't' });
  });

  it('is chosen by UPLOAD_PROVIDER, and the bucket stays configured', async () => {
    const env = { S3_BUCKET: 'b', UPLOAD_PROVIDER: 'local' };
    const { store, provider, s3 } = await storage(env);
    deepStrictEqual([store, provider, s3?.bucket], ['local', 'local', 'b']);
    await refused({ UPLOAD_PROVIDER: 's3' }, /Bucket is missing: name it there or set S3_BUCKET$/);
    await refused({ UPLOAD_PROVIDER: 'moon' }, /^UPLOAD_PROVIDER must be local or s3, not "moon"$/);
  });

  it('of another provider is named at start, and takes no files', async () => {
    await configure("{ provider: 'cloudinary', providerOptions: { cloud_name: 'x' } }");
    const config = await load();
    deepStrictEqual(config.upload.storage, { store: 'unsupported', provider: 'cloudinary', s3: undefined });
    ok(
      config.warnings.some((warning) =>
        /^Uploads are refused: .* the provider cloudinary.* Set S3_BUCKET .*UPLOAD_PROVIDER=local/.test(warning),
      ),
    );
  });

  it('is refused where a value is wrong, without quoting addresses', async () => {
    await configure("{ provider: 'aws-s3', providerOptions: { s3Options: { params: {} } } }");
    await refused({}, /^config\/plugins\.js: upload\.config\.providerOptions\.s3Options\.params\.Bucket is missing/);
    const bucket = { S3_BUCKET: 'b' };
    await refused({ ...bucket, S3_PRIVATE: 'yes' }, /^S3_PRIVATE must be true or false, not "yes"$/);
    await refused({ ...bucket, S3_SIGNED_URL_EXPIRES: '0' }, /^S3_SIGNED_URL_EXPIRES must be a whole number from 1 to/);
    await refused({ ...bucket, S3_SIGNED_URL_EXPIRES: '604801' }, /^S3_SIGNED_URL_EXPIRES must be/);
    await refused({ ...bucket, S3_ACCESS_KEY_ID: 'k' }, /must be set together$/);
    for (const endpoint of [
      ...[
        'https://u:secret@h',
        'https://h/path',
        'http://',
        'ht tp',
        'https://{host}',
        'https://s3..example.com',
        'http://-a.b',
      ],
      ...['https://h#x', 'https://h:0', 'https://h:port', `https://${'a'.repeat(64)}.com`, 'https://...'],
    ]) {
      await refused(
        { ...bucket, S3_ENDPOINT: endpoint },
        /^S3_ENDPOINT must be a URL such as https:\/\/s3\.example\.com$/,
      );
    }
    const options = "{ credentials: { accessKeyId: 'k' }, params: { Bucket: 'b' } }";
    await configure(`{ provider: 'aws-s3', providerOptions: { s3Options: ${options} } }`);
    await refused({}, /credentials must be both accessKeyId and secretAccessKey, or neither$/);
  });
});
