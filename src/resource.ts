/**
 * What the service keeps, by its names: in texts, as the table, and in the names of metrics. The operation creates one;
 * the example is the body of a request for it. `npm run rename` gives it other names.
 */
export const RESOURCE = {
  one: 'plant',
  many: 'plants',
  withArticle: 'a plant',
  operation: 'createPlant',
  example: '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}',
} as const;

/** The name of the service, and of its command. */
export const SERVICE = 'plant-store';
