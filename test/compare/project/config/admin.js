module.exports = () => ({
  auth: { secret: 'adminsecret' },
  apiToken: { salt: 'apisalt' },
  transfer: { token: { salt: 'tsalt' } },
  secrets: { encryptionKey: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
  serveAdminPanel: false,
  flags: { nps: false, promoteEE: false },
});
