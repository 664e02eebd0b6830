import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appTools, mcpToolset, modelContent, modelTools, modelToolsAfter } from '../../src/agent/index.js'
import type { FailedTool } from '../../src/agent/index.js'
import type { ListedTool } from '../../src/client/index.js'
import { failure, finish, replan } from '../../src/agent/failure.js'
import { DefinitionError, defineTool } from '../../src/index.js'
import { complete, scriptedCaller } from './scripted-caller.js'
import { addNote } from './world.js'

const caller = scriptedCaller({})
const listed = (name: string, rest: Partial<ListedTool> = {}): ListedTool => ({
  name,
  inputSchema: { type: 'object' },
  ...rest,
})
const visible = (visibility: unknown) => ({ _meta: { ui: { visibility } } })
const toolset = (...tools: Parameters<typeof mcpToolset>[0]['tools']) =>
  mcpToolset({ name: 't', tools, caller })
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name)

describe('§5.2 modelTools', () => {
  test('name, description and arguments, and nothing else', () => {
    const tool = defineTool({
      name: 'search',
      description: 'Search',
      input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }), limit: z.int().default(5) }),
      output: z.object({ hits: z.array(z.string()) }),
      route: z.object({ organization: z.string() }),
      scopes: ['search:read'],
      meta: { 'com.example/cost': 3 },
    })
    const [shown] = modelTools(toolset(tool))
    expect(Object.keys(shown!)).toEqual(['name', 'description', 'inputSchema'])
    expect(shown).toMatchObject({
      name: 'search',
      description: 'Search',
      inputSchema: { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] },
    })
    expect(JSON.stringify(shown)).not.toMatch(/organization|x-mcp-header|cost|hits|search:read/)
  })

  test('an argument called x-mcp-header stays', () => {
    const properties = { 'x-mcp-header': { type: 'string' } }
    const [shown] = modelTools(toolset(listed('a', { inputSchema: { type: 'object', properties } })))
    expect(shown?.inputSchema).toEqual({ type: 'object', properties })
  })

  test.each([1, null, { input: { json: {} }, mirrored: [{ header: 'cookie', path: ['a'] }] }])(
    'a listed tool with members of a definition is still a listed one: %j',
    (compiled) => {
      const odd = { ...listed('odd'), compiled, presentation: {} } as ListedTool
      const { tools } = toolset(listed('a'), odd)
      expect(tools.get('odd')).toMatchObject({ definition: undefined, inputSchema: { type: 'object' } })
    },
  )

  test('tools for apps alone are not the model’s, and those for models not the apps’', () => {
    const all = toolset(
      listed('both'),
      listed('model', visible(['model'])),
      listed('app.only', visible(['app'])),
      listed('odd', visible('model')),
      listed('other', { _meta: { ui: { resourceUri: 'ui://a' } } }),
    )
    expect(names(modelTools(all))).toEqual(['both', 'model', 'other'])
    expect(names(appTools(all))).toEqual(['both', 'app.only', 'other'])
  })

  test('names are exact where providers take them, and reversible where not', () => {
    const long = 'n'.repeat(128)
    const all = toolset(listed('a-b_C9'), listed('files.read'), listed(long))
    const [exact, dotted, cut] = names(modelTools(all))
    expect(exact).toBe('a-b_C9')
    expect(dotted).toBe('files_read')
    expect(cut).toMatch(/^n{55}_[0-9a-f]{8}$/)
    expect([exact, dotted, cut].map((name) => all.byModelName.get(name!)?.name)).toEqual([
      'a-b_C9',
      'files.read',
      long,
    ])
  })

  test('a prefix keeps toolsets apart towards the model', () => {
    const all = mcpToolset({ name: 'jira', tools: [listed('search')], caller, prefix: 'jira_' })
    expect(names(modelTools(all))).toEqual(['jira_search'])
    expect(all.byModelName.get('jira_search')?.name).toBe('search')
  })

  test.each([
    ['collide', [listed('files.read'), listed('files_read')]],
    ['are doubled', [listed('a'), listed('a')]],
    ['are empty', [listed('')]],
  ])('names that %s are refused', (_, tools) => {
    expect(() => toolset(...tools)).toThrow(DefinitionError)
  })
})

describe('§5.1 recovery semantics', () => {
  const both = toolset(addNote, listed('b'))
  const failed = (tool: string, recovery: FailedTool['failure']['recovery']) => ({
    tool,
    failure: failure('internal', 'x', recovery),
  })

  test.each([
    ['nothing failed', [], ['notes_add', 'b']],
    [
      'correct_call keeps the tool',
      [failed('b', { action: 'correct_call', issues: [] })],
      ['notes_add', 'b'],
    ],
    ['replan hides the tool', [failed('notes.add', replan)], ['b']],
    ['replan hides the tool by the model’s name', [failed('notes_add', replan)], ['b']],
    ['replan of an unknown tool hides nothing', [failed('c', replan)], ['notes_add', 'b']],
    ['finish removes all', [failed('b', finish)], []],
    ['finish wins', [failed('b', replan), failed('notes.add', finish)], []],
  ])('%s', (_, failures, left) => {
    expect(names(modelToolsAfter(both, failures))).toEqual(left)
  })
})

describe('§5.2 modelContent', () => {
  test('drops blocks for the user alone, icons and _meta, and keeps the rest apart', () => {
    const icon = { src: 'https://a.example/i.png' }
    const response = complete(undefined, {
      metadata: { secret: 1 },
      content: [
        { type: 'text', text: 'a', _meta: { x: 1 }, annotations: { priority: 1 } },
        { type: 'text', text: 'b', annotations: { audience: ['user'] } },
        { type: 'text', text: 'c', annotations: { audience: ['user', 'assistant'] } },
        { type: 'text', text: 'd', annotations: { audience: [] } },
        { type: 'resource_link', uri: 'a:b', name: 'n', icons: [icon], _meta: {} },
        { type: 'resource', resource: { uri: 'a:b', text: 't', _meta: { x: 1 } } },
      ],
    })
    expect(modelContent(response)).toEqual({
      content: [
        { type: 'text', text: 'a', annotations: { priority: 1 } },
        { type: 'text', text: 'c', annotations: { audience: ['user', 'assistant'] } },
        { type: 'text', text: 'd', annotations: { audience: [] } },
        { type: 'resource_link', uri: 'a:b', name: 'n' },
        { type: 'resource', resource: { uri: 'a:b', text: 't' } },
      ],
    })
  })

  test('the structured value is the result, also when it is null: G-62', () => {
    expect(modelContent(complete(null)).value).toBeNull()
    expect(modelContent({ status: 'ok', value: [1], content: [] })).toEqual({ value: [1], content: [] })
    expect(modelContent({ status: 'ok', content: [] })).toEqual({ content: [] })
  })
})
