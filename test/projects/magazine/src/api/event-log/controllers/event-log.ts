import { factories } from '@strapi/strapi';

export default factories.createCoreController('api::event-log.event-log');
