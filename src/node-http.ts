/**
 * Node's HTTP module, loaded without an import: an import reads all its exports and thereby loads Node's HTTP client
 * and WebSockets, 14 MB that a server does not need.
 */
export const { createServer, maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http');
