import { Ajv2020 } from 'ajv/dist/2020.js'
import { defineTool, jsonSchema } from 'castellan'
import { handle } from 'castellan/fastify'
import { z } from 'zod'

/** Every keyword here must arrive in tools/list unchanged. */
const contactSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const

const ajv = new Ajv2020({ strict: false })
const isContact = ajv.compile<{ readonly name?: string }>(contactSchema)

const fullVocabulary = handle(
  defineTool({
    name: 'json_schema_2020_12_tool',
    description: 'Takes a contact described with most of JSON Schema 2020-12',
    input: jsonSchema(contactSchema, (value) =>
      isContact(value) ? { value } : { issues: ajv.errorsText(isContact.errors) },
    ),
  }),
  ({ name = 'nobody' }) => `Contact: ${name}`,
)

const mirrored = handle(
  defineTool({
    name: 'test_x_mcp_header',
    description: 'Has a parameter that is mirrored in a header',
    input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
  }),
  ({ region }) => `Region: ${region}`,
)

export const schemaTools = [fullVocabulary, mirrored]
