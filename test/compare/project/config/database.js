module.exports = ({ env }) =>
  env('DATABASE_CLIENT') === 'postgres'
    ? {
        connection: {
          client: 'postgres',
          connection: {
            host: env('PGHOST', '127.0.0.1'),
            port: 5432,
            database: env('PGDATABASE', 'strapi'),
            user: env('PGUSER', 'postgres'),
            password: env('PGPASSWORD', ''),
          },
          pool: { min: 2, max: 10 },
        },
      }
    : {
        connection: {
          client: 'sqlite',
          connection: { filename: env('DATABASE_FILENAME', 'database/data.db') },
          useNullAsDefault: true,
        },
      };
