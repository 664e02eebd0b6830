/* eslint-disable @typescript-eslint/no-deprecated -- the official suite asks for sampling and roots */
import { defineTool, form, roots, sampling, text } from 'castellan'
import { handle } from 'castellan/fastify'
import { z } from 'zod'

const user_name = form(z.object({ name: z.string() }))
const favorite_color = form(z.object({ color: z.string() }))
const confirm = form(z.object({ ok: z.boolean() }))

const question = (words: string, maxTokens: number) => ({
  messages: [{ role: 'user' as const, content: text(words) }],
  maxTokens,
})

const basicForm = handle(
  defineTool({
    name: 'test_input_required_result_elicitation',
    description: 'Greets the user by a name it asks for',
    inputs: { user_name },
  }),
  async (_input, { input }) => {
    const answer = await input.user_name({ message: 'What is your name?' })
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, whoever you are!'
  },
)

const basicSampling = handle(
  defineTool({
    name: 'test_input_required_result_sampling',
    description: 'Asks the model of the client',
    inputs: { capital_question: sampling() },
  }),
  async (_input, { input }) => {
    const { content } = await input.capital_question(question('What is the capital of France?', 100))
    return `The model said ${JSON.stringify(content)}`
  },
)

const basicRoots = handle(
  defineTool({
    name: 'test_input_required_result_list_roots',
    description: 'Asks for the folders of the client',
    inputs: { client_roots: roots() },
  }),
  async (_input, { input }) => (await input.client_roots()).map(({ uri }) => uri).join(', '),
)

const withState = handle(
  defineTool({
    name: 'test_input_required_result_request_state',
    description: 'Leaves a value for the second round',
    inputs: { confirm },
  }),
  async (_input, { input }) => {
    const left = input.state.get()
    input.state.set('state-ok')
    await input.confirm({ message: 'Go on?' })
    return String(left)
  },
)

const several = handle(
  defineTool({
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks three things in one round',
    inputs: { user_name, greeting: sampling(), client_roots: roots() },
  }),
  async (_input, { input }) => {
    const [, greeting, folders] = await Promise.all([
      input.user_name({ message: 'What is your name?' }),
      input.greeting(question('Write a greeting', 50)),
      input.client_roots(),
    ])
    return `${greeting.model} knows ${folders.length} folders`
  },
)

const multiRound = handle(
  defineTool({
    name: 'test_input_required_result_multi_round',
    description: 'Asks one thing after the other',
    inputs: { step1: user_name, step2: favorite_color },
  }),
  async (_input, { input }) => {
    const first = await input.step1({ message: 'Step 1: What is your name?' })
    const second = await input.step2({ message: 'Step 2: What is your favorite color?' })
    return `${first.action}, then ${second.action}`
  },
)

const tampered = handle(
  defineTool({
    name: 'test_input_required_result_tampered_state',
    description: 'Takes back only the state it gave',
    inputs: { confirm },
  }),
  async (_input, { input }) => (await input.confirm({ message: 'Go on?' })).action,
)

const byCapabilities = handle(
  defineTool({
    name: 'test_input_required_result_capabilities',
    description: 'Asks only what the client can be asked',
    inputs: { user_name, greeting: sampling() },
  }),
  async (_input, { input }) => {
    const asked = []
    if (input.can.user_name) asked.push(input.user_name({ message: 'What is your name?' }))
    if (input.can.greeting) asked.push(input.greeting(question('Write a greeting', 50)))
    return `${(await Promise.all(asked)).length} answers`
  },
)

const missingCapability = handle(
  defineTool({
    name: 'test_missing_capability',
    description: 'Cannot do without the model of the client',
    inputs: { greeting: sampling() },
  }),
  async (_input, { input }) => (await input.greeting(question('Write a greeting', 50))).model,
)

export const inputTools = [
  basicForm,
  basicSampling,
  basicRoots,
  withState,
  several,
  multiRound,
  tampered,
  byCapabilities,
  missingCapability,
]
