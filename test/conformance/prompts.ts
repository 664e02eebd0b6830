import { definePrompt, embeddedResource, form, image, text, user } from 'castellan'
import { handle } from 'castellan/fastify'
import { z } from 'zod'
import { pixel } from './media.js'

const simple = definePrompt({
  name: 'test_simple_prompt',
  description: 'A prompt without arguments',
  messages: [user(text('This is a simple prompt for testing.'))],
})

const withArguments = handle(
  definePrompt({
    name: 'test_prompt_with_arguments',
    description: 'A prompt that shows its two arguments',
    arguments: z.object({
      arg1: z.string().describe('First test argument'),
      arg2: z.string().describe('Second test argument'),
    }),
  }),
  ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  { complete: { arg1: (value) => ['test', 'testing', 'other'].filter((word) => word.startsWith(value)) } },
)

const withResource = handle(
  definePrompt({
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt that carries a resource',
    arguments: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
  }),
  ({ resourceUri }) => [
    user(
      embeddedResource({
        uri: resourceUri,
        mimeType: 'text/plain',
        text: 'Embedded resource content for testing.',
      }),
    ),
    user(text('Please process the embedded resource above.')),
  ],
)

const withImage = definePrompt({
  name: 'test_prompt_with_image',
  description: 'A prompt that carries an image',
  messages: [user(image(pixel, 'image/png')), user(text('Please analyze the image above.'))],
})

const asking = handle(
  definePrompt({
    name: 'test_input_required_result_prompt',
    description: 'A prompt that asks for its context',
    inputs: { user_context: form(z.object({ context: z.string() })) },
  }),
  async (_input, { input }) => {
    const answer = await input.user_context({ message: 'What is it about?' })
    return answer.action === 'accept' ? `Think of ${answer.content.context}` : 'Think of nothing'
  },
)

export const prompts = [simple, withArguments, withResource, withImage, asking]
