import { defineResource, defineResourceTemplate } from 'castellan'
import { handle } from 'castellan/fastify'
import { pixel } from './media.js'

const staticText = handle(
  defineResource({
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A text that never changes',
    mimeType: 'text/plain',
  }),
  () => 'This is the content of the static text resource.',
)

const staticBinary = handle(
  defineResource({
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'An image that never changes',
    mimeType: 'image/png',
  }),
  () => Buffer.from(pixel, 'base64'),
)

const watched = handle(
  defineResource({
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'A resource a client may subscribe to',
    mimeType: 'text/plain',
  }),
  () => 'Watched resource content',
)

const template = handle(
  defineResourceTemplate({
    uriTemplate: 'test://template/{id}/data',
    name: 'template-data',
    description: 'Data for any id',
    mimeType: 'application/json',
  }),
  ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
)

export const resources = [staticText, staticBinary, watched, template]
