/** The names of the stored items in texts, tables and metrics. `npm run rename` changes them. */
export const RESOURCE = {
  one: 'plant',
  many: 'plants',
  withArticle: 'a plant',
  /** The operation that creates one, and a body for it. */
  operation: 'createPlant',
  example: '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}',
} as const;

export const SERVICE = 'plant-store';
