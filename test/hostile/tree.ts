import type { Random } from './random.js'

/** JSON as it is written: members may repeat and scalars may be anything. */
export type Tree =
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'list'; readonly items: Tree[] }
  | { readonly kind: 'object'; readonly members: [name: string, value: Tree][] }

export const scalar = (text: string): Tree => ({ kind: 'scalar', text })

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(treeOf) }
  if (typeof value !== 'object' || value === null) return scalar(JSON.stringify(value))
  return { kind: 'object', members: Object.entries(value).map(([name, inner]) => [name, treeOf(inner)]) }
}

export function render(tree: Tree): string {
  if (tree.kind === 'scalar') return tree.text
  if (tree.kind === 'list') return `[${tree.items.map(render).join(',')}]`
  return `{${tree.members.map(([name, value]) => `${JSON.stringify(name)}:${render(value)}`).join(',')}}`
}

type ObjectTree = Extract<Tree, { kind: 'object' }>

function objects(tree: Tree): ObjectTree[] {
  if (tree.kind === 'scalar') return []
  if (tree.kind === 'list') return tree.items.flatMap(objects)
  return [tree, ...tree.members.flatMap(([, value]) => objects(value))]
}

const strangeScalars = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '-9223372036854775809',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '"constructor"',
  '"2026-07-28"',
  '"2025-11-25"',
  '"1900-01-01"',
  '"tools/call"',
  '"odd"',
  '"notes://odd/throw"',
  '"=?base64?ZWNobw==?="',
  '"../../etc/passwd"',
  '"%2e%2e%2f"',
  '"🏰"',
  '{}',
  '[]',
  '[[]]',
  '{"":{}}',
  '{"__proto__":null}',
]
const strangeNames = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'id',
  'method',
  'params',
  '_meta',
  'jsonrpc',
  '$ref',
  '\u0000',
  'result',
  'error',
]

function strange(random: Random): Tree {
  if (random.chance(0.05)) return scalar(`"${'x'.repeat(random.int(30_000))}"`)
  if (random.chance(0.05)) {
    const depth = random.int(90)
    return scalar('['.repeat(depth) + '0' + ']'.repeat(depth))
  }
  return scalar(random.pick(strangeScalars))
}

/** Changes one place of a message; where the place is an object, its members. */
export function mutateTree(random: Random, root: Tree): Tree {
  const places = objects(root)
  const place = places.length === 0 || random.chance(0.02) ? undefined : random.pick(places)
  if (place === undefined || place.members.length === 0)
    return random.chance(0.5) ? { kind: 'list', items: [root] } : strange(random)
  const at = random.int(place.members.length)
  const member = place.members[at] as [string, Tree]
  random.pick(memberChanges)(random, place, at, member)
  return root
}

type MemberChange = (random: Random, place: ObjectTree, at: number, member: [string, Tree]) => void

const memberChanges: readonly MemberChange[] = [
  (_random, place, at) => void place.members.splice(at, 1),
  (random, _place, _at, member) => (member[1] = strange(random)),
  (random, _place, _at, member) => (member[1] = strange(random)),
  (random, _place, _at, member) => (member[1] = strange(random)),
  (_random, place, _at, [name, value]) => void place.members.push([name, value]),
  (random, place, at, [name]) => void place.members.splice(at, 0, [name, strange(random)]),
  (random, place, _at, [name]) => void place.members.push([name, strange(random)]),
  (random, _place, _at, member) => (member[0] = random.pick(strangeNames)),
  (_random, _place, _at, member) => (member[0] = member[0].toUpperCase()),
  (_random, _place, _at, member) => (member[0] = `${member[0]}\u0000`),
  (random, place) => void place.members.push([random.pick(strangeNames), strange(random)]),
  (_random, place) => void place.members.reverse(),
  (_random, _place, _at, member) => (member[1] = { kind: 'list', items: [member[1]] }),
  (_random, _place, _at, member) => (member[1] = { kind: 'object', members: [[member[0], member[1]]] }),
  (_random, _place, _at, member) => (member[1] = scalar(JSON.stringify(render(member[1])))),
  (random, place, at) => {
    const other = random.int(place.members.length)
    const [a, b] = [place.members[at], place.members[other]]
    if (a !== undefined && b !== undefined) [a[1], b[1]] = [b[1], a[1]]
  },
]
