import createClient from 'openapi-fetch';
import type { paths } from '../../generated/openapi.ts';

const { PLANT_STORE_URL: baseUrl = 'http://127.0.0.1:3000', ACCESS_TOKEN = '' } = process.env;

const plants = createClient<paths>({
  baseUrl,
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
  // An int64 is a bigint: its digits are sent as they are.
  bodySerializer: (body) =>
    JSON.stringify(body, (_name, value: unknown) =>
      typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value,
    ),
});

const { data, error, response } = await plants.POST('/plants', {
  body: { id: 9007199254740993n, name: 'Ginkgo biloba' },
});
if (error === undefined) console.log(data.name, response.headers.has('Idempotent-Replayed') ? 'was there' : 'is new');
else console.log(error.error, error.message);
