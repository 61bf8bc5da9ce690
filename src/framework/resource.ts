/** The names of an item in texts, tables and metrics. `npm run rename` changes them. */
export const RESOURCE = {
  one: 'plant',
  many: 'plants',
  withArticle: 'a plant',
  /** The operation that creates an item, and a body for it. */
  operation: 'createPlant',
  example: '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}',
} as const;

export const SERVICE = 'plant-store';
