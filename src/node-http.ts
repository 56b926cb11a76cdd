/**
 * Node's own HTTP module. It is asked for and not imported: an import names all that the module has, and thereby loads
 * Node's HTTP client and WebSockets, 14 MB that no server needs.
 */
export const { createServer, maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http');
