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

/** Milliseconds that a program that gives keys may take. */
const PROGRAM_TIMEOUT = 60_000;

/**
 * Keys of the profile that `AWS_PROFILE` names, or `default`; undefined where it is not there or says nothing of keys.
 *
 * @throws Error where it says where keys come from, and none come from there.
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
  // a profile that names itself as its source has the keys that take its role
  if (fixed && (visited.length > 0 || arn === undefined)) return fixed;
  if (arn !== undefined && (source !== undefined || place !== undefined)) {
    if (profile['mfa_serial'] !== undefined)
      throw new Error(`Profile ${name} requires a multi-factor code, which cannot be entered here`);
    if (visited.includes(name)) throw new Error(`Profile ${name} is its own source`);
    const keys =
      source !== undefined
        ? await resolve(sources, profiles, source, [...visited, name])
        : await placed(sources, place!, name);
    if (!keys) throw new Error(`Profile ${name} has a source without keys`);
    const region = profile['region'] ?? sources.region;
    const role = { arn, session, externalId: profile['external_id'], seconds: profile['duration_seconds'] };
    return roleCredentials({ region, env: sources.env }, role, keys);
  }
  if (fixed) return fixed;
  if (place !== undefined) return placed(sources, place, name);
  const tokenFile = profile['web_identity_token_file'];
  if (arn !== undefined && tokenFile !== undefined) return sources.webIdentity({ tokenFile, arn, session });
  const program = profile['credential_process'];
  if (program !== undefined)
    return credentialsOf((await promisify(exec)(program, { timeout: PROGRAM_TIMEOUT })).stdout);
  // signing in is for AWS's command line, which renews what it has got
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

async function placed(sources: Sources, place: string, name: string): Promise<S3Credentials | undefined> {
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
    // sections of other kinds, such as `sso-session x`, have a word in front, too
    const name = section === 'default' ? section : /^profile\s+(.*)$/.exec(section)?.[1];
    if (name !== undefined) profiles.set(name, values);
  }
  for (const [name, values] of parseSections(credentials)) profiles.set(name, { ...profiles.get(name), ...values });
  return profiles;
}

/**
 * Sections of one of AWS's files. Their format is not that of npm's `ini`: names have dots and slashes that mean
 * nothing, values may have quotes and semicolons, and what is indented belongs to the line above and is not of keys.
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
