/** What answers of the administration API have in common. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../protocol/reply.ts';

const VERSION_LENGTH = 22;

/** Sends `{ data }`. */
export const sendData = (reply: FastifyReply, data: unknown, status = 200): FastifyReply =>
  sendJson(reply, JSON.stringify({ data }), status);

/** A short text that differs for different data. */
export const versionOf = (data: unknown): string =>
  createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, VERSION_LENGTH);

/** A time in answers, such as `2026-11-29T09:00:00.000Z`. @param milliseconds since 1970; null: null. */
export function timeOf(milliseconds: number): string;
export function timeOf(milliseconds: number | null): string | null;
export function timeOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
