/** Keys of profiles in `~/.aws` (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html). */
import { exec, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { S3Credentials } from '../../../config/config.ts';
import { roleCredentials } from './roles.ts';
import { credentialsOf, type Environment, type Sources } from './sources.ts';

type Profile = Readonly<Record<string, string>>;
type Profiles = ReadonlyMap<string, Profile>;

/** Milliseconds of a program that returns keys. */
const PROGRAM_TIMEOUT = 60_000;

/**
 * Keys of the profile named by `AWS_PROFILE`, or `default`; undefined if it does not exist or has no keys.
 *
 * @throws Error if its source of keys has none.
 */
export async function profileCredentials(sources: Sources): Promise<S3Credentials | undefined> {
  const profiles = await readProfiles(sources.env);
  return resolve(sources, profiles, sources.env['AWS_PROFILE'] || 'default', []);
}

async function resolve(
  sources: Sources,
  profiles: Profiles,
  name: string,
  visited: readonly string[],
): Promise<S3Credentials | undefined> {
  const profile = profiles.get(name);
  if (!profile) return undefined;
  const { role_arn: arn, source_profile: source, credential_source: place, role_session_name: session } = profile;
  const fixed = fixedKeys(profile);
  // a profile that is its own source has the keys to take its role
  if (fixed && (visited.length > 0 || arn === undefined)) return fixed;
  if (arn !== undefined && (source !== undefined || place !== undefined)) {
    if (profile['mfa_serial'] !== undefined)
      throw new Error(`Profile ${name} requires a multi-factor code, which cannot be entered here`);
    if (visited.includes(name)) throw new Error(`Profile ${name} is its own source`);
    const keys =
      source !== undefined
        ? await resolve(sources, profiles, source, [...visited, name])
        : await sourceKeys(sources, place!, name);
    if (!keys) throw new Error(`Profile ${name} has a source without keys`);
    const region = profile['region'] ?? sources.region;
    const role = { arn, session, externalId: profile['external_id'], seconds: profile['duration_seconds'] };
    return roleCredentials({ region, env: sources.env }, role, keys);
  }
  if (fixed) return fixed;
  if (place !== undefined) return sourceKeys(sources, place, name);
  const tokenFile = profile['web_identity_token_file'];
  if (arn !== undefined && tokenFile !== undefined) return sources.webIdentity({ tokenFile, arn, session });
  const program = profile['credential_process'];
  if (program !== undefined)
    return credentialsOf((await promisify(exec)(program, { timeout: PROGRAM_TIMEOUT })).stdout);
  // AWS's command line manages sessions of signed-in users
  if (Object.keys(profile).some((key) => key.startsWith('sso_') || key === 'login_session')) {
    const argv = ['configure', 'export-credentials', '--profile', name];
    return credentialsOf((await promisify(execFile)('aws', argv, { timeout: PROGRAM_TIMEOUT })).stdout);
  }
  return undefined;
}

function fixedKeys(profile: Profile): S3Credentials | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = profile;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: profile['aws_session_token'] };
}

async function sourceKeys(sources: Sources, place: string, name: string): Promise<S3Credentials | undefined> {
  if (place === 'Environment') return sources.environment();
  if (place === 'EcsContainer') return sources.container();
  if (place === 'Ec2InstanceMetadata') return sources.instance();
  throw new Error(`Profile ${name}: credential_source must be Environment, EcsContainer or Ec2InstanceMetadata`);
}

async function readProfiles(env: Environment): Promise<Profiles> {
  const folder = path.join(env['HOME'] || env['USERPROFILE'] || homedir(), '.aws');
  const read = (variable: string, name: string) =>
    readFile(env[variable] || path.join(folder, name), 'utf8').catch(() => '');
  const [config, credentials] = await Promise.all([
    read('AWS_CONFIG_FILE', 'config'),
    read('AWS_SHARED_CREDENTIALS_FILE', 'credentials'),
  ]);
  const profiles = new Map<string, Profile>();
  for (const [section, values] of parseSections(config)) {
    // other sections, such as `sso-session x`, also have two words
    const name = section === 'default' ? section : /^profile\s+(.*)$/.exec(section)?.[1];
    if (name !== undefined) profiles.set(name, values);
  }
  for (const [name, values] of parseSections(credentials)) profiles.set(name, { ...profiles.get(name), ...values });
  return profiles;
}

/**
 * Sections of one of AWS's files. They differ from npm's `ini`: names contain dots and slashes without meaning, values
 * may contain quotes and semicolons, and indented lines belong to the line above.
 */
export function parseSections(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let current: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const header = /^\[\s*(.*?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) {
      const name = header.replace(/(^|\s)["'](.*)["']$/, '$1$2');
      current = sections.get(name) ?? Object.create(null);
      sections.set(name, current!);
      continue;
    }
    const [, key, value = ''] = /^([^\s#;=][^=]*?)\s*=\s*(.*)$/.exec(line) ?? [];
    if (current && key !== undefined) current[key] = value.replace(/\s+[#;].*$/, '').trim();
  }
  return sections;
}
