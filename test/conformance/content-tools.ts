import { audio, defineTool, embeddedResource, image, text, ToolError } from 'castellan'
import { handle } from 'castellan/fastify'
import { pixel, silence } from './media.js'

const simpleText = handle(
  defineTool({ name: 'test_simple_text', description: 'Answers with plain text' }),
  () => 'This is a simple text response for testing.',
)

const imageContent = handle(
  defineTool({ name: 'test_image_content', description: 'Answers with an image' }),
  () => image(pixel, 'image/png'),
)

const audioContent = handle(
  defineTool({ name: 'test_audio_content', description: 'Answers with a sound' }),
  () => audio(silence, 'audio/wav'),
)

const embedded = handle(
  defineTool({ name: 'test_embedded_resource', description: 'Answers with an embedded resource' }),
  () =>
    embeddedResource({
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    }),
)

const mixedContent = handle(
  defineTool({
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource',
  }),
  () => [
    text('Multiple content types test:'),
    image(pixel, 'image/png'),
    embeddedResource({
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: JSON.stringify({ test: 'data', value: 123 }),
    }),
  ],
)

const failing = handle(defineTool({ name: 'test_error_handling', description: 'Always fails' }), () => {
  throw new ToolError('This tool intentionally returns an error for testing')
})

export const contentTools = [simpleText, imageContent, audioContent, embedded, mixedContent, failing]
