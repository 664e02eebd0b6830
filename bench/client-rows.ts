import type { CallsRow, PackageRow } from './row.js'

interface ClientKind {
  readonly name: string
  readonly title: string
  readonly file: string
  readonly args: readonly string[]
  readonly against: readonly string[]
}

const both = ['client-sdk', 'client-pool']

const kinds: readonly ClientKind[] = [
  ...[{ name: 'client-pool', title: 'bare undici pool', file: 'pool', args: [], against: [] }],
  { name: 'client-known', title: 'callTool, known tool', file: 'castellan', args: ['known'], against: both },
  {
    ...{ name: 'client-typed', title: 'call of a definition', file: 'castellan', args: ['typed'] },
    against: both,
  },
  {
    ...{ name: 'client-listed', title: 'callTool, schemas of the list', file: 'castellan', args: ['listed'] },
    against: ['client-sdk-listed', 'client-pool'],
  },
  { name: 'client-sdk', title: 'official client', file: 'official', args: [], against: ['client-pool'] },
  {
    ...{ name: 'client-sdk-listed', title: 'official client after listTools', file: 'official' },
    ...{ args: ['listed'], against: ['client-pool'] },
  },
]

const calls = (inFlight: number): CallsRow[] =>
  kinds.map(({ name, title, file, args, against }) => ({
    kind: 'calls',
    name: `${name}-${inFlight}`,
    title: `${title}, ${inFlight} in flight`,
    contender: { file: `clients/${file}.js`, args },
    inFlight,
    against: against.map((other) => `${other}-${inFlight}`),
  }))

const imported = (name: string, specifier: string, against: readonly string[]): PackageRow => ({
  ...{ kind: 'package', name, title: specifier, specifier, against },
})

export const clientRows: readonly (CallsRow | PackageRow)[] = [
  ...calls(64),
  ...calls(1),
  imported('import-castellan', 'castellan/client', ['import-sdk']),
  imported('import-sdk', '@modelcontextprotocol/client', []),
]
