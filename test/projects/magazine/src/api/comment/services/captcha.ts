export default ({ strapi }: { strapi: any }) => ({
  async verify(word: string | undefined): Promise<boolean> {
    return word === strapi.config.get('magazine.captcha');
  },
});
