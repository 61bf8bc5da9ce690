/** What the store keeps, by its names: in texts, as the table and in the names of metrics. The operation creates one. */
export const RESOURCE = { one: 'plant', many: 'plants', operation: 'createPlant' } as const;
